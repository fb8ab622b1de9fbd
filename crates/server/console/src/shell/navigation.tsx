// The rail with the five areas.

import { linkTo, route, type Area } from "../state/route";
import { Icon, Logo, type IconName } from "../ui/icon";

export const AREAS: readonly { id: Area; title: string; icon: IconName; key: string }[] = [
  { id: "chat", title: "Chat", icon: "chat", key: "c" },
  { id: "skills", title: "Skills", icon: "skills", key: "s" },
  { id: "places", title: "Places", icon: "places", key: "p" },
  { id: "registry", title: "Registry", icon: "registry", key: "r" },
  { id: "evals", title: "Evals", icon: "evals", key: "e" },
];

export function Navigation() {
  return (
    <nav class="rail" aria-label="Areas">
      <a class="brand" href={linkTo("chat")} aria-label="Prowess: start">
        <Logo size={26} />
        <span>Prowess</span>
      </a>
      <ul>
        {AREAS.map((area) => (
          <li key={area.id}>
            <a href={linkTo(area.id)} aria-current={route.value.area === area.id ? "page" : undefined} data-test={`nav-${area.id}`}>
              <Icon name={area.icon} />
              <span>{area.title}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
