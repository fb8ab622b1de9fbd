// A chat without a turn shows what can be done.

import { model } from "../state/model";
import { skills, canBeNamed } from "../state/skill-index";
import { linkTo } from "../state/route";
import { Logo } from "../ui/icon";
import { plural } from "../ui/format";

const SHOWN = 4;

export function FirstSteps({ onTry }: { onTry: (text: string) => void }) {
  const examples = skills.value.filter(canBeNamed).slice(0, SHOWN);
  return (
    <div class="first-steps" data-test="first-steps">
      <div class="first-steps-inner">
        <Logo size={40} />
        <h1>Ask a model that has skills</h1>
        <p>
          {model.value?.demo ? "The demo model answers until you set another one. " : ""}
          Ask in your own words and the model picks a skill, or name one yourself.
        </p>
        {examples.length > 0 && (
          <ul class="tries">
            {examples.map((skill) => (
              <li key={skill.id}>
                <button type="button" class="try" data-test="try" onClick={() => onTry(`/${skill.id} `)}>
                  <span class="try-name">/{skill.id}</span>
                  <span class="try-about" dir="auto">
                    {skill.description}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <p class="quiet-text">
          <a href={linkTo("skills")}>{skills.value.length > 0 ? `See all ${plural(skills.value.length, "skill")}` : "Add a first skill"}</a>
        </p>
      </div>
    </div>
  );
}
