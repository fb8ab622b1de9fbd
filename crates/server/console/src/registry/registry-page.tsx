export function RegistryPage() { return null; }
