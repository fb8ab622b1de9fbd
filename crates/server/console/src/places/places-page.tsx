export function PlacesPage() { return null; }
