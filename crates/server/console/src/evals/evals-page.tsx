export function EvalsPage() { return null; }
