// Icons: strokes on a grid of 20, in the colour of the text.

const PATHS = {
  chat: "M3.5 5.5a2 2 0 0 1 2-2h9a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H9l-4 3v-3a1.5 1.5 0 0 1-1.5-1.5z",
  skills: "M4 5h5M4 10h9M4 15h12",
  places: "M10 17s5.5-4.6 5.5-9A5.5 5.5 0 0 0 4.500 8c0 4.400 5.500 9 5.500 9zM10 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  registry: "M3.500 6.500 10 3l6.500 3.500v7L10 17l-6.500-3.500zM3.500 6.500 10 10l6.500-3.500M10 10v7",
  evals: "M4 16V9M8 16V4M12 16v-5M16 16V7",
  search: "M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM13 13l4 4",
  plus: "M10 4v12M4 10h12",
  copy: "M7.500 7.500h8v9h-8zM12.500 7.500v-4h-8v9h3",
  check: "M4 10.500 8 14.500 16 6",
  close: "M5 5l10 10M15 5 5 15",
  stop: "M6 6h8v8H6z",
  send: "M10 16V4M5 9l5-5 5 5",
  retry: "M15.500 6.500A6.500 6.500 0 1 0 16.500 11M16 3v4h-4",
  edit: "M4 16h3L16 7l-3-3-9 9zM11.500 5.500l3 3",
  fork: "M6 4v12M6 10h5a3 3 0 0 0 3-3V4M6 4 4 6M6 4l2 2M14 4l-2 2M14 4l2 2",
  trash: "M4 6h12M8 6V4h4v2M5.500 6l1 10.500h7l1-10.500M8.500 9v5M11.500 9v5",
  download: "M10 3.500v9M6 9l4 4 4-4M4 16.500h12",
  upload: "M10 13V4M6 7.500l4-4 4 4M4 16.500h12",
  chevron: "M7 5l5 5-5 5",
  down: "M5 8l5 5 5-5",
  file: "M5.500 3.500h6l3 3v10h-9zM11.500 3.500v3h3",
  tool: "M12 3.500a4 4 0 0 0-3.400 5.900L3.500 14.500l2 2 5.100-5.100A4 4 0 0 0 16 6.500L13.500 8 12 6.500l1.500-2.500A4 4 0 0 0 12 3.500z",
  shield: "M10 3l6 2v5c0 4-3 6-6 7-3-1-6-3-6-7V5z",
  refuse: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM5.200 5.200l9.600 9.600",
  warning: "M10 3.500 17.500 16h-15zM10 8v4M10 13.700v.6",
  info: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 9v5M10 6.200v.6",
  sun: "M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM10 2.500v2M10 15.500v2M2.500 10h2M15.500 10h2M4.700 4.700l1.400 1.400M13.900 13.900l1.400 1.400M15.300 4.700l-1.400 1.400M6.100 13.900l-1.400 1.400",
  moon: "M16 12A6.500 6.500 0 0 1 8 4a6.500 6.500 0 1 0 8 8z",
  contrast: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 3v14",
  system: "M3.500 4.500h13v9h-13zM7 16.500h6M10 13.500v3",
  keyboard: "M3 5.500h14v9H3zM6 8.500h.5M9 8.500h.5M12 8.500h.5M14.500 8.500h.5M7 11.500h6",
  list: "M4 5.500h12M4 10h12M4 14.500h12",
  grid: "M4 4h5v5H4zM11 4h5v5h-5zM4 11h5v5H4zM11 11h5v5h-5z",
  play: "M6 4l10 6-10 6z",
  key: "M12.500 11a3.500 3.500 0 1 0-3.200-2L4 14.500V17h2.500l.5-2h2l.5-2 1.500-1.500c.500-.300 1-.500 1.500-.500zM13.500 7.200v.1",
  folder: "M3.500 5.500h5l1.500 2h6.500v8.500h-13z",
  menu: "M5 10h.1M10 10h.1M15 10h.1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg class={`icon icon-${name}`} width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The three levels of a skill: name, instructions, files. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg class="logo" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" class="logo-ground" />
      <path d="M8 10h6M8 16h11M8 22h16" class="logo-bars" />
    </svg>
  );
}
