/** A poll's id in a path; anything else of that length is no poll's. */
export const POLL_PATH = '/:id(^[0-9A-Za-z]{12}$)';

export interface PollParams {
  readonly Params: { readonly id: string };
}
