/** Shows /openapi.json in Swagger UI, without requests to other servers. */

declare const SwaggerUIBundle: (options: object) => void;

// Swagger UI has its dark colors behind a class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/** Hides the choice of servers: the only one is this relay. */
const oneServer = () => ({ wrapComponents: { ServersContainer: () => () => null } });

SwaggerUIBundle({
  url: new URL('../../openapi.json', import.meta.url).href,
  dom_id: '#reader',
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Otherwise the document would be sent to validator.swagger.io.
  validatorUrl: null,
  plugins: [oneServer],
  onComplete() {
    // For screen readers: heading levels without gaps, and the title in a region.
    for (const heading of document.querySelectorAll('h3.opblock-tag, .models h4'))
      heading.setAttribute('aria-level', '2');
    const head = document.querySelector('.information-container');
    head?.setAttribute('role', 'region');
    head?.setAttribute('aria-label', 'About this API');
  },
});
