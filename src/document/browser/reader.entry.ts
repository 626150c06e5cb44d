/** Shows /openapi.json to read and to try, with nothing from anywhere but this relay. */

declare const SwaggerUIBundle: (options: object) => void;

// Its dark colours hang on a class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/** There is one server to try it on: the one that this page is from. */
const oneServer = () => ({ wrapComponents: { ServersContainer: () => () => null } });

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reader',
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Otherwise the document would be sent to a server of others to be judged.
  validatorUrl: null,
  plugins: [oneServer],
  onComplete() {
    // For screen readers: the headings below the title follow it, and the title stands in a region.
    for (const heading of document.querySelectorAll('h3.opblock-tag, .models h4'))
      heading.setAttribute('aria-level', '2');
    const head = document.querySelector('.information-container');
    head?.setAttribute('role', 'region');
    head?.setAttribute('aria-label', 'About this API');
  },
});
