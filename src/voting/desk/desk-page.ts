import { fill } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';
import { copyField } from '../page/copy-field.ts';
import { html, type Markup } from '../page/html.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import { relaySources } from '../page/security-headers.ts';
import { shortcutsSwitch } from '../page/shortcuts-switch.ts';
import { votingQr } from '../page/voting-qr.ts';

export interface DeskUrls {
  readonly relayUrl: string;
  readonly voteUrl: string;
}

export interface TakingRules {
  /** Only an operator's key takes a name. */
  readonly asksForKey: boolean;
  /** Days for which a show without a poll is kept; 0 for ever. */
  readonly emptyShowDays?: number | undefined;
}

/** What every page of the desk may do. */
function page(phrases: Phrases, title: string, { relayUrl }: DeskUrls, body: Markup): Page {
  const sources = { connect: relaySources(relayUrl), frame: new URL(relayUrl).origin };
  const parts = { scripts: ['desk.js' as const], styles: ['desk.css' as const], noindex: true };
  return { phrases, title: `${title} - ${SITE_NAME}`, ...parts, sources, body };
}

/** Where a show is taken, and where whoever has one comes in. @param name filled in already */
export function takePage(
  phrases: Phrases,
  name: string,
  { asksForKey, emptyShowDays = 0 }: TakingRules,
  urls: DeskUrls,
): Page {
  const { desk } = phrases;
  return page(
    phrases,
    desk.takeTitle,
    urls,
    html`<div class="stack narrow" data-take-show data-relay="${urls.relayUrl}">
<noscript><p class="notice">${desk.noScript}</p></noscript>
<section><h1>${desk.takeTitle}</h1><p class="lead">${desk.takeLead}</p>
<form data-take-form>
${nameField(phrases, name, desk.nameHint)}
<label class="field"><span>${desk.showTitle}</span><input name="title" maxlength="300" dir="auto" autocomplete="off"><small>${desk.titleHint}</small></label>
<label class="field" data-operator${!asksForKey && html` hidden`}><span>${desk.operatorKey}</span><input type="password" name="operator_key" autocomplete="off" spellcheck="false"><small>${desk.operatorHint}</small></label>
<p class="fault" data-fault role="alert" hidden></p>
${!asksForKey && emptyShowDays > 0 && html`<p class="quiet">${fill(desk.expires, { days: phrases.wording.days(emptyShowDays) })}</p>`}
<button type="submit">${desk.take}</button>
</form></section>
<section class="after"><h2>${desk.openTitle}</h2><p>${desk.openLead}</p>
<form data-open-form>${nameField(phrases, '')}${keyField(phrases)}<p class="fault" data-fault role="alert" hidden></p><button type="submit" class="quiet">${desk.open}</button></form></section>
</div>`,
  );
}

function nameField({ desk }: Phrases, value: string, hint?: string): Markup {
  return html`<label class="field"><span>${desk.name}</span><input name="name" required value="${value}" dir="ltr" autocapitalize="none" autocomplete="username" spellcheck="false" placeholder="friday-night">${hint && html`<small>${hint}</small>`}</label>`;
}

function keyField({ desk }: Phrases): Markup {
  return html`<label class="field"><span>${desk.key}</span><input type="password" name="show_key" required autocomplete="current-password" spellcheck="false"><small>${desk.keyHint}</small></label>`;
}

/** The desk before its script has asked anything. */
export function deskPage(phrases: Phrases, name: string, urls: DeskUrls): Page {
  const { desk } = phrases;
  return page(
    phrases,
    `${name} - ${desk.pageTitle}`,
    urls,
    html`<div class="desk" data-desk="${name}" data-relay="${urls.relayUrl}" data-vote="${urls.voteUrl}">
<noscript><p class="notice">${desk.noScript}</p></noscript>
<header class="bar"><h1 dir="auto" data-title>${name}</h1>
<dl class="gauges"><div data-clock-box hidden><dt>${desk.closesIn}</dt><dd data-clock role="timer"></dd></div>
<div><dt>${desk.screens}</dt><dd data-screens>–</dd></div>
<div><dt>${desk.voters} <span data-rate-span>${desk.lastMinute}</span></dt><dd data-rate>–</dd></div></dl></header>
<p class="word"><span data-way role="status">${desk.connecting}</span> <span data-word role="status"></span></p>
<section class="notice" data-way-in hidden><p data-way-in-word></p>
<form data-key-form><input name="name" value="${name}" autocomplete="username" hidden>${keyField(phrases)}<button type="submit">${desk.open}</button></form>
<p class="actions"><a class="button quiet" data-take-link href="/desk?name=${encodeURIComponent(name)}" hidden>${desk.take}</a></p></section>
<section class="notice good" data-keep hidden><h2>${desk.keep}</h2><p>${desk.keepHint}</p></section>
<div data-work hidden>
<div class="pictures">${picture('air', desk.onAir)}${picture('next', desk.next)}</div>
<div class="steps" data-steps></div>
${rundown(phrases)}
${shortcutsSwitch(phrases)}
${addresses(phrases, name, urls)}
</div></div>`,
  );
}

function picture(place: 'air' | 'next', label: string): Markup {
  return html`<figure class="picture" data-picture="${place}"><figcaption><b class="lamp" data-lamp>${label}</b> <span data-caption dir="auto"></span></figcaption><div class="frame" data-frame></div></figure>`;
}

function rundown({ desk }: Phrases): Markup {
  return html`<section class="rundown" aria-labelledby="rundown-title"><h2 id="rundown-title">${desk.runDown}</h2>
<p class="quiet" data-empty hidden>${desk.emptyRunDown}</p>
<ol data-rundown></ol>
<form class="add" data-add-form><label for="add-line">${desk.add}</label>
<input id="add-line" name="line" maxlength="20000" dir="auto" autocomplete="off" placeholder="${desk.addLabel}" aria-describedby="add-hint"><button type="submit" data-key="a" aria-keyshortcuts="A">${desk.add} <kbd aria-hidden="true">A</kbd></button>
<small id="add-hint">${desk.addHint} <b>${desk.escape}</b></small></form></section>`;
}

function addresses(phrases: Phrases, name: string, { relayUrl, voteUrl }: DeskUrls): Markup {
  const { desk } = phrases;
  return html`<details class="fold addresses"><summary>${desk.addresses}</summary>
${votingQr(phrases, `${voteUrl}/show/${name}`)}
${copyField(phrases, 'vote-link', desk.voteLabel, `${voteUrl}/show/${name}`)}
${copyField(phrases, 'overlay-link', desk.overlayLabel, `${relayUrl}/overlay/show/${name}`)}
<div data-desk-link>${copyField(phrases, 'desk-link', desk.deskLabel, '')}</div>
<p class="actions"><a class="button quiet" data-share href="${voteUrl}/show/${name}/share">${desk.share}</a>
<a class="button quiet" href="${relayUrl}/overlay?show=${name}">${desk.builder}</a></p>
<form data-new-key-form><button type="submit" class="quiet">${desk.handOver}</button><p class="quiet">${desk.handOverHint}</p></form>
<form data-give-back-form><label class="field"><span>${desk.confirmName}</span><input name="confirmation" autocomplete="off" autocapitalize="none" spellcheck="false"><small>${desk.deleteShowHint}</small></label><button type="submit" class="quiet">${desk.deleteShow}</button></form>
</details>`;
}
