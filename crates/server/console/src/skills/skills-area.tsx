export function SkillsArea() { return null; }
