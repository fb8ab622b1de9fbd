// Broken links in Markdown files, as a tool and as a check.

import { posix as path } from "node:path";

import { nearest, read } from "./links.mjs";
import { Refused, serve } from "./protocol.mjs";

// Questions to the host at once.
const AT_ONCE = 16;

const registration = {
  tools: [
    {
      name: "check_links",
      description: "Finds relative links in Markdown files that lead nowhere: to no file, or to no heading.",
      input_schema: {
        type: "object",
        properties: {
          pattern: { type: "string", description: "glob of the files to check; all Markdown files if absent" },
        },
        additionalProperties: false,
      },
    },
  ],
  workflows: ["check"],
};

/** The files of the project, each asked for once. */
class Project {
  #texts = new Map();
  #listings = new Map();

  constructor(host) {
    this.host = host;
  }

  document(file) {
    return remember(this.#texts, file, async () => {
      const { content } = await this.host.call("host/read_file", { path: file });
      return read(content);
    });
  }

  async exists(file) {
    if (file === ".") return true;
    const directory = path.dirname(file);
    const names = await remember(this.#listings, directory, async () => {
      if (directory !== "." && !(await this.exists(directory))) return new Set();
      const listed = await this.host.call("host/list_dir", { path: directory }).catch(notThere);
      return new Set(listed.entries.map((entry) => entry.name));
    });
    return names.has(path.basename(file));
  }
}

// A file has no entries either.
const notThere = () => ({ entries: [] });

function remember(known, key, make) {
  if (!known.has(key)) known.set(key, make());
  return known.get(key);
}

/** Why a link of a file leads nowhere; nothing if it leads somewhere. */
async function problem(project, file, target) {
  const [encoded, fragment] = split(target);
  let named;
  try {
    named = decodeURIComponent(encoded.split("?")[0]);
  } catch {
    return "its percent signs make no sense";
  }
  const begin = named.startsWith("/") ? "" : path.dirname(file);
  const found = named ? path.join(begin, named).replace(/^\/+|\/+$/g, "") || "." : file;
  if (found === ".." || found.startsWith("../")) return "it leads out of the project";
  if (!(await project.exists(found))) return `there is no \`${found}\``;
  if (!fragment || !isMarkdown(found)) return undefined;
  const wanted = decoded(fragment);
  let anchors;
  try {
    ({ anchors } = await project.document(found));
  } catch (refused) {
    return refused.message;
  }
  if (anchors.has(wanted) || anchors.has(wanted.toLowerCase())) return undefined;
  const near = nearest(wanted.toLowerCase(), anchors);
  return `\`${found}\` has no heading for \`#${wanted}\`` + (near ? `; there is \`#${near}\`` : "");
}

const isMarkdown = (file) => /\.(md|markdown)$/i.test(file);

function split(target) {
  const at = target.indexOf("#");
  return at < 0 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)];
}

function decoded(fragment) {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

async function check(host, { pattern = "*.md" }) {
  if (typeof pattern !== "string") throw new Refused("`pattern` has to be a glob");
  const project = new Project(host);
  const { files } = await host.call("host/search_files", { pattern });
  const found = [];
  const counts = { files: files.length, links: 0, web: 0 };
  await each(files, async (file) => {
    let document;
    try {
      document = await project.document(file);
    } catch (refused) {
      found.push({ file, line: 1, target: file, reason: refused.message });
      return;
    }
    counts.links += document.links.length;
    counts.web += document.web;
    for (const { target, line } of document.links) {
      const reason = await problem(project, file, target);
      if (reason) found.push({ file, line, target, reason });
    }
  });
  found.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
  return { counts, found };
}

/** Works on all of them, a few at a time. */
async function each(items, work) {
  const left = [...items].reverse();
  const worker = async () => {
    while (left.length) await work(left.pop());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function told({ counts, found }) {
  const lines = found.map(({ file, line, target, reason }) => `${file}:${line}: \`${target}\`: ${reason}`);
  const scope = `${counts.links} relative links in ${counts.files} files (${counts.web} to the web were not followed)`;
  return [...lines, found.length ? `${found.length} broken of ${scope}` : `No broken link among ${scope}`].join("\n");
}

async function checkLinks(host, input) {
  return { content: told(await check(host, input)) };
}

async function checkOrFail(host, input) {
  const result = await check(host, input);
  return { content: told(result), is_error: result.found.length > 0 };
}

serve(registration, {
  "tool/execute check_links": checkLinks,
  "workflow/run check": checkOrFail,
});
