import type { Step } from './steps.ts';

interface StepButton {
  readonly button: HTMLButtonElement;
  readonly label: HTMLElement;
  readonly detail: HTMLElement;
}

/** The row of steps. The buttons stay the same, so that the focus does, and a step that cannot be taken still says why. */
export class StepButtons {
  readonly #box: HTMLElement;
  readonly #onPress: (name: string) => void;
  readonly #buttons = new Map<string, StepButton>();

  constructor(box: HTMLElement, onPress: (name: string) => void) {
    this.#box = box;
    this.#onPress = onPress;
  }

  draw(steps: readonly Step[], isOnTheWay: (step: Step) => boolean): void {
    for (const step of steps) {
      const { button, label, detail } = this.#buttons.get(step.name) ?? this.#add(step);
      label.textContent = step.label;
      detail.textContent = step.detail ?? '';
      button.setAttribute('aria-disabled', String(typeof step.press === 'string'));
      button.toggleAttribute('data-sent', isOnTheWay(step));
    }
  }

  #add({ name, key }: Step): StepButton {
    const button = document.createElement('button');
    button.type = 'button';
    button.dataset['step'] = name;
    button.dataset['key'] = key.toLowerCase();
    button.setAttribute('aria-keyshortcuts', key);
    const [label, detail, cap] = [span('label'), span('detail'), document.createElement('kbd')];
    detail.dir = 'auto';
    cap.textContent = key;
    cap.setAttribute('aria-hidden', 'true');
    button.append(label, cap, detail);
    button.addEventListener('click', () => this.#onPress(name));
    this.#box.append(button);
    const added = { button, label, detail };
    this.#buttons.set(name, added);
    return added;
  }
}

function span(className: string): HTMLSpanElement {
  const element = document.createElement('span');
  element.className = className;
  return element;
}
