/** Style sheets are bundled as text, so that they also reach a shadow root and a page without network. */
declare module '*.css' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: a text import has no other name to be imported by.
  export default text;
}
