import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Marked } from 'marked';
import { asyncapiDocument } from '../document/asyncapi.ts';
import { DOCUMENTS, pageFile } from '../document/document-routes.ts';
import { openapiDocument } from '../document/openapi.ts';

/**
 * Builds the documents of a relay: the pages of documents of the repository, OpenAPI, AsyncAPI and
 * Swagger UI.
 */

const SWAGGER_UI = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
];

export async function buildDocuments(source: string, target: string): Promise<void> {
  cpSync(join(source, 'protocol', 'PROTOCOL.md'), join(target, 'protocol', 'PROTOCOL.md'));
  const template = readFileSync(join(source, 'document', 'page', 'text.html'), 'utf8');
  for (const [path, title, file] of DOCUMENTS)
    writeFileSync(
      join(target, 'document', 'page', pageFile(path)),
      template
        .replace('<!-- title -->', title)
        .replace(`href="/docs${path}"`, link => `${link} aria-current="page"`)
        .replace('<!-- text -->', () => toHtml(readFileSync(join(source, file), 'utf8'), file)),
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

/** @param file of the markdown, for its links to others */
function toHtml(markdown: string, file: string): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchor(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // Other files of the repository are not served.
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = /^(?:https?:|#)/.test(href) ? href : addressOf(href, file);
        return address === undefined ? text : `<a href="${address}">${text}</a>`;
      },
      code({ text, lang }) {
        return `<pre${lang ? ` data-language="${lang}"` : ''}><code>${escapeText(text)}</code></pre>\n`;
      },
    },
  });
  return (marked.parse(markdown) as string)
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}

/** The address of a page by a link between files; undefined if the file has no page. */
function addressOf(href: string, from: string): string | undefined {
  const [path = '', ...anchor] = href.split('#');
  const file = join(dirname(from), path).replace(/\/$/, '/README.md');
  const page = DOCUMENTS.find(([, , one]) => one === file);
  return page && [`/docs${page[0]}`, ...anchor].join('#');
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
