// What the HTTP API sends, as docs/http.md and docs/chats.md define it.

export interface Problem {
  status: number;
  title: string;
  code: string;
  detail: string;
  diagnostics?: Diagnostic[];
}

export interface Position {
  line: number;
  column: number;
  byte: number;
}

export interface Diagnostic {
  code: string;
  severity: "error" | "warning";
  start: Position;
  end: Position;
  message: string;
  help?: string | null;
  fixable?: boolean;
}

export interface SkillEntry {
  id: string;
  name: string;
  description: string;
  scope?: string;
  metadata: Record<string, string>;
  invocation: string;
  argument_hint?: string;
  requires_capabilities?: string[];
  body_bytes: number;
  stamp?: string;
}

export interface Skill extends SkillEntry {
  body: string;
  frontmatter?: string;
}

export interface WrittenSkill extends Skill {
  diagnostics: Diagnostic[];
}

export interface SkillCollection {
  path: string;
  description: string;
  count: number;
}

export interface SkillList {
  skills: SkillEntry[];
  collections?: SkillCollection[];
  next?: string;
}

export interface FileEntry {
  path: string;
  size: number;
}

export interface CheckResult {
  valid: boolean;
  diagnostics: Diagnostic[];
}

export interface LevelTokens {
  catalog: number;
  instructions: number;
  files: number;
}

export interface AuditFinding {
  rule: string;
  severity: string;
  file: string;
  line?: number | null;
  column?: number | null;
  message: string;
  excerpt?: string | null;
}

export interface Audit {
  verdict: string;
  findings: AuditFinding[];
  not_read?: ({ file: string; reason: string } | string)[];
}

export interface SkillManifest {
  version?: string | null;
  types?: string[];
  permissions?: string[];
  tools?: string[];
  workflows?: string[];
}

export interface SkillDetails {
  id: string;
  source: string;
  writable: boolean;
  enabled?: boolean;
  tokens: LevelTokens;
  digest: string | null;
  diagnostics: Diagnostic[];
  audit: Audit | null;
  manifest: SkillManifest | null;
  package: Record<string, unknown> | null;
  /** In how many chats it was used; older servers call it `chats`. */
  usage: { uses?: number; chats?: number; last: number | null } | null;
  evals: boolean;
}

export interface ImportResult {
  created: string[];
  refused: { id: string; reason: string }[];
}

export interface Approval {
  skill: string;
  permission: string;
  effect: "allow" | "deny";
  project?: string | null;
  contents: string;
  current?: boolean | null;
  given?: string | null;
  file?: string;
}

export interface ModelInfo {
  name: string | null;
  demo: boolean;
  hint: string | null;
}
