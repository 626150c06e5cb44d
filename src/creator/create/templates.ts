import type { Phrases } from '../../locales/phrases.ts';

/** Answers that one tap fills in. The names are in links, as in `/new?template=yes-no`. */
export const TEMPLATES = ['yes-no', 'agree', 'one-to-five'] as const;
export type Template = (typeof TEMPLATES)[number];

const SCALE = [1, 2, 3, 4, 5];

export function isTemplate(name: unknown): name is Template {
  return (TEMPLATES as readonly unknown[]).includes(name);
}

export function templateAnswers({ create: { templates }, wording }: Phrases, template: Template): string[] {
  const { yes, no, stronglyAgree, agree, neutral, disagree, stronglyDisagree } = templates;
  if (template === 'yes-no') return [yes, no];
  if (template === 'agree') return [stronglyAgree, agree, neutral, disagree, stronglyDisagree];
  return SCALE.map(number => wording.number(number));
}

export function templateLabel(phrases: Phrases, template: Template): string {
  const { agree, disagree } = phrases.create.templates;
  if (template === 'agree') return `${agree} … ${disagree}`;
  const answers = templateAnswers(phrases, template);
  return template === 'yes-no' ? answers.join(' / ') : `${answers[0]} … ${answers.at(-1)}`;
}
