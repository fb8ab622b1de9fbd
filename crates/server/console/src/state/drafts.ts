// What was typed and not sent yet. It survives a reload, a lost server and an expired token.

const PREFIX = "prowess.draft.";

export function loadDraft(key: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

export function saveDraft(key: string, text: string | null): void {
  try {
    if (text === null || text === "") sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, text);
  } catch {
    // The storage is full or off: the text is still on the page.
  }
}
