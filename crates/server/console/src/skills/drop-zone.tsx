export function DropZone() { return null; }
