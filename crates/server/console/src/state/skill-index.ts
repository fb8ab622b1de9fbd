// All skills without their instructions. The first page is painted at once, the rest arrives in the background.

import { batch, computed, signal } from "@preact/signals";
import { ApiError, request } from "../api/client";
import type { SkillCollection, SkillEntry, SkillList } from "../api/types";

const FIRST_PAGE = 100;
const NEXT_PAGE = 2500;

export interface IndexedSkill extends SkillEntry {
  /** What a search looks at, in lower case. */
  haystack: string;
}

export const skills = signal<readonly IndexedSkill[]>([]);
export const collections = signal<readonly SkillCollection[]>([]);
export const indexState = signal<"empty" | "loading" | "complete" | "failed">("empty");
export const indexError = signal<ApiError | null>(null);

export const skillsById = computed(() => new Map(skills.value.map((skill) => [skill.id, skill])));

function indexed(skill: SkillEntry): IndexedSkill {
  return { ...skill, haystack: `${skill.id}\n${skill.name}\n${skill.description}`.toLowerCase() };
}

let loading: Promise<void> | null = null;
let dirty = false;

async function loadAll(): Promise<void> {
  const first = skills.value.length === 0;
  indexState.value = first ? "loading" : indexState.value;
  let gathered: IndexedSkill[] = [];
  let cursor: string | null = null;
  try {
    // Asked for at the same time, so that the first page and the collections are painted together.
    const found = request<{ collections: SkillCollection[] }>("/api/skill-collections");
    found.catch(() => undefined);
    do {
      const size: number = gathered.length === 0 && first ? FIRST_PAGE : NEXT_PAGE;
      const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page: SkillList = await request<SkillList>(`/api/skills?limit=${size}${after}`);
      gathered = gathered.concat(page.skills.map(indexed));
      cursor = page.next ?? null;
      // A reload replaces the list in one step, so that rows do not vanish and come back.
      if (first) {
        const list = (await found).collections;
        batch(() => {
          skills.value = gathered;
          collections.value = list;
        });
      }
    } while (cursor !== null);
    skills.value = gathered;
    collections.value = (await found).collections;
    indexState.value = "complete";
    indexError.value = null;
  } catch (error) {
    if (error instanceof ApiError) indexError.value = error;
    indexState.value = "failed";
  }
}

/** Loads the list, or loads it again after a change. */
export function loadSkills(): Promise<void> {
  if (loading) {
    dirty = true;
    return loading;
  }
  loading = loadAll().finally(() => {
    loading = null;
    if (dirty) {
      dirty = false;
      void loadSkills();
    }
  });
  return loading;
}

/** Shows a change before the server lists it. */
export function forgetSkill(id: string): void {
  skills.value = skills.value.filter((skill) => skill.id !== id);
}

/** How well a skill fits; 0 if it does not. Each word has to be found. */
function score(skill: IndexedSkill, words: readonly string[]): number {
  let total = 0;
  for (const word of words) {
    const at = skill.haystack.indexOf(word);
    if (at < 0) return 0;
    const name = skill.id.length;
    if (at === 0) total += 8;
    else if (at < name) total += /[/_-]/.test(skill.haystack[at - 1] ?? "") ? 6 : 4;
    else total += 1;
  }
  return total;
}

export function searchLocally(list: readonly IndexedSkill[], query: string): readonly IndexedSkill[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return list;
  const found: { skill: IndexedSkill; score: number }[] = [];
  for (const skill of list) {
    const points = score(skill, words);
    if (points > 0) found.push({ skill, score: points });
  }
  found.sort((a, b) => b.score - a.score);
  return found.map((it) => it.skill);
}

export function canBeNamed(skill: SkillEntry): boolean {
  return skill.invocation === "anyone" || skill.invocation === "user-only";
}
