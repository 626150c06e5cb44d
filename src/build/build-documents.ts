import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Marked } from 'marked';
import { asyncapiDocument } from '../document/asyncapi.ts';
import { openapiDocument } from '../document/openapi.ts';

/**
 * Builds the documents of a relay: the pages of PROTOCOL.md, of the logs and of chats, OpenAPI,
 * AsyncAPI and Swagger UI.
 */

const SWAGGER_UI = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
];

export async function buildDocuments(source: string, target: string): Promise<void> {
  const protocol = join(source, 'protocol', 'PROTOCOL.md');
  cpSync(protocol, join(target, 'protocol', 'PROTOCOL.md'));
  const template = readFileSync(join(source, 'document', 'page', 'text.html'), 'utf8');
  for (const [name, title, markdown] of [
    ['protocol', 'The live stream', protocol],
    ['log', 'Verifiable polls', join(source, 'audit', 'README.md')],
    ['chat', 'Votes from chat', join(source, 'chat', 'STREAMERS.md')],
  ] as const)
    writeFileSync(
      join(target, 'document', 'page', `${name}.html`),
      template
        .replace('<!-- title -->', title)
        .replace(`href="/docs/${name}"`, link => `${link} aria-current="page"`)
        .replace('<!-- text -->', () => toHtml(readFileSync(markdown, 'utf8'))),
    );
  // Generated here, because that would take a twentieth of a relay's start.
  for (const [name, made] of Object.entries({
    openapi: await openapiDocument(),
    asyncapi: asyncapiDocument(),
  }))
    writeFileSync(join(target, 'document', `${name}.json`), JSON.stringify(made));
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const file of SWAGGER_UI)
    cpSync(
      join(folder, file),
      join(target, 'document', 'browser', file.replace(/^(LICENSE|NOTICE)$/, 'swagger-ui.$1')),
    );
}

function toHtml(markdown: string): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchor(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // Files of the repository are not served.
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        return /^(?:https?:|#)/.test(href) ? `<a href="${href}">${text}</a>` : text;
      },
      // Focusable, so that the keyboard can scroll it.
      code({ text }) {
        return `<pre tabindex="0"><code>${escapeText(text)}</code></pre>\n`;
      },
    },
  });
  return (marked.parse(markdown) as string)
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}

/** As on GitHub, so that links work in both places. */
function anchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
