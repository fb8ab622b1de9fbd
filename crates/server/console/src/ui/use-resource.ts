// Data of the server for a component: cancelled when it is no longer wanted, loaded again after a reconnect.

import { useCallback, useEffect, useState } from "preact/hooks";
import { ApiError, isAbort } from "../api/client";
import { onReconnect } from "../api/connection";
import { token } from "../api/token";

export interface Resource<T> {
  value: T | null;
  error: ApiError | null;
  loading: boolean;
  reload: () => void;
  /** Shows a change before the server confirms it. */
  set: (value: T) => void;
}

export function useResource<T>(load: (signal: AbortSignal) => Promise<T>, key: string): Resource<T> {
  const [state, setState] = useState<{ key: string; value: T | null; error: ApiError | null; loading: boolean }>({
    key,
    value: null,
    error: null,
    loading: true,
  });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((it) => it + 1), []);
  const used = token.value;
  useEffect(() => {
    const abort = new AbortController();
    setState((old) => (old.key === key ? { ...old, loading: true } : { key, value: null, error: null, loading: true }));
    load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ key, value, error: null, loading: false });
      },
      (error: unknown) => {
        if (isAbort(error) || abort.signal.aborted) return;
        const shown = error instanceof ApiError ? error : new ApiError(0, "", String(error));
        setState((old) => ({ key, value: old.key === key ? old.value : null, error: shown, loading: false }));
      },
    );
    return () => abort.abort();
  }, [key, round, used]);
  useEffect(() => onReconnect(reload), []);
  const set = useCallback((value: T) => setState({ key, value, error: null, loading: false }), [key]);
  const current = state.key === key;
  return { value: current ? state.value : null, error: current ? state.error : null, loading: current ? state.loading : true, reload, set };
}
