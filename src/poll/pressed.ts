/** A press of a show. */
export interface Pressed {
  readonly press: string;
  /** Begins with `desk-` for a desk; else the name that a program gave itself, empty without one. */
  readonly hand: string;
  /** UNIX time in seconds. */
  readonly at: number;
}
