// Checks a text while it is typed.

import { useEffect, useState } from "preact/hooks";
import { isAbort } from "../api/client";
import { checkSource } from "../api/skill-api";
import type { CheckResult, Diagnostic } from "../api/types";

const PAUSE_MS = 180;

export interface LiveCheck {
  diagnostics: readonly Diagnostic[];
  /** null until the first result. */
  valid: boolean | null;
  /** Whether the result is about the present text. */
  current: boolean;
}

export function useCheck(text: string, directory: string | null): LiveCheck {
  const [state, setState] = useState<{ text: string; result: CheckResult | null }>({ text: "", result: null });
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      checkSource(text, directory, abort.signal).then(
        (result) => setState({ text, result }),
        (error: unknown) => {
          // The last result stays: an unreachable server has a banner of its own.
          if (!isAbort(error)) setState((old) => ({ ...old, text }));
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, directory]);
  return { diagnostics: state.result?.diagnostics ?? [], valid: state.result?.valid ?? null, current: state.text === text };
}
