import type { FastifyInstance } from 'fastify';
import { fill } from '../../locales/i18n.ts';
import { type Phrases, phrasesFor } from '../../locales/phrases.ts';
import { votingQr } from '../../pages/page/components.ts';
import { html, type Markup } from '../../pages/page/html.ts';
import { type Page, SITE_NAME } from '../../pages/page/page.ts';
import { relaySources } from '../../pages/page/security-headers.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';

/**
 * The pages of the desk. Their script sends the show's key to the relay in a header, so this server
 * never receives it.
 */
export async function deskRoutes(server: FastifyInstance, options: PageDependencies): Promise<void> {
  const { sendPage } = options;

  server.get<{ Querystring: { name?: unknown } }>('/desk', async (request, reply) => {
    const name = typeof request.query.name === 'string' ? request.query.name : '';
    return sendPage(reply, 200, setUpPage(phrasesFor(request), name, options));
  });

  server.get<{ Params: { name: string } }>('/desk/:name', async (request, reply) =>
    sendPage(reply, 200, deskPage(phrasesFor(request), request.params.name, options)),
  );
}

function page(phrases: Phrases, title: string, { relayUrl }: PageDependencies, body: Markup): Page {
  return {
    phrases,
    title: `${title} - ${SITE_NAME}`,
    scripts: ['desk.js'],
    styles: ['creator.css', 'desk.css'],
    noindex: true,
    sources: {
      connect: relaySources(relayUrl),
      frame: new URL(relayUrl).origin,
      logo: new URL(relayUrl).origin,
    },
    body,
  };
}

function deskPage(phrases: Phrases, name: string, options: PageDependencies): Page {
  const { desk } = phrases;
  const { relayUrl, voteUrl } = options;
  const body = html`<div class="desk" data-desk="${name}" data-relay="${relayUrl}" data-vote="${voteUrl}">
<noscript><p class="notice">${desk.noScript}</p></noscript>
<template data-code>${votingQr(phrases, `${voteUrl}/show/${name}`)}</template>
</div>`;
  return { ...page(phrases, `${name} - ${desk.pageTitle}`, options, body), fillsWindow: true };
}

/** Sets up a show, or opens the desk of an existing one. @param name to fill in */
function setUpPage(phrases: Phrases, name: string, options: PageDependencies): Page {
  const { desk, wording } = phrases;
  const { relayUrl, createRequiresKey, emptyShowDays } = options;
  const joinCode = phrases.create.switches.join_code;
  return page(
    phrases,
    desk.takeTitle,
    options,
    html`<div class="stack narrow" data-set-up data-relay="${relayUrl}">
<noscript><p class="notice">${desk.noScript}</p></noscript>
<section><h1>${desk.takeTitle}</h1><p class="lead">${desk.takeLead}</p>
<form data-set-up-form>
<label class="field"><span>${desk.showTitle}</span><input name="title" maxlength="300" dir="auto" autocomplete="off"><small>${desk.titleHint}</small></label>
${nameField(phrases, name, desk.nameHint)}
<p class="fault" id="name-fault" data-name-fault role="alert" hidden></p>
<label class="switch"><input type="checkbox" name="join_code" autocomplete="off"><span>${joinCode.label}<small>${joinCode.meaning}</small></span></label>
<label class="switch"><input type="checkbox" name="forget" autocomplete="off"><span>${phrases.device.skip}</span></label>
<label class="field" data-operator${!createRequiresKey && html` hidden`}><span>${desk.operatorKey}</span><input type="password" name="operator_key" autocomplete="off" spellcheck="false"><small>${desk.operatorHint}</small></label>
<p class="fault" data-fault role="alert" hidden></p>
${!createRequiresKey && emptyShowDays > 0 && html`<p class="quiet">${fill(desk.expires, { days: wording.days(emptyShowDays) })}</p>`}
<button type="submit">${desk.take}</button>
</form></section>
<section class="after"><h2>${desk.openTitle}</h2><p>${desk.openLead}</p>
<form data-open-form>${nameField(phrases, '')}
<label class="field"><span>${desk.key}</span><input type="password" name="show_key" required autocomplete="current-password" spellcheck="false"><small>${desk.keyHint}</small></label>
<p class="fault" data-fault role="alert" hidden></p><button type="submit" class="quiet">${desk.open}</button></form></section>
</div>`,
  );
}

function nameField({ desk }: Phrases, value: string, hint?: string): Markup {
  return html`<label class="field"><span>${desk.name}</span><input name="name" required value="${value}" dir="ltr" autocapitalize="none" autocomplete="username" spellcheck="false" placeholder="friday-night">${hint && html`<small>${hint}</small>`}</label>`;
}
