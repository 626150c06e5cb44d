import { html } from '../page/html.ts';
import { noticeBox } from '../page/notice.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import { managePath } from './manage-session.ts';

/** For whoever has no session: a script takes the key from the URL's fragment and sends this form by itself. */
export function keyPage(pollId: string, rejected: boolean): Page {
  return {
    title: `Manage - ${SITE_NAME}`,
    noindex: true,
    scripts: ['manage.js'],
    body: html`<h1>Manage a poll</h1>
${
  rejected &&
  noticeBox({
    tone: 'problem',
    title: 'This key does not manage this poll',
    text: 'Nothing was changed. Use the whole link that you got when the poll was created; a view key only shows results.',
  })
}
<form method="post" action="${managePath(pollId)}/key" data-key-form>
<label class="field"><span>Admin key</span><input type="password" name="key" required autocomplete="off" spellcheck="false">
<small>It begins with admin_ and is part of the link to manage the poll.</small></label>
<button type="submit">Open</button>
</form>`,
  };
}
