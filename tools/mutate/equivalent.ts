// Mutants that no test can notice, each with the reason. A row whose mutant no longer exists, or
// that a test notices, fails the run: the list only gets shorter by itself.

export interface Equivalent {
  file: string
  /** The line of the source, without the spaces around it. */
  line: string
  original: string
  replacement: string
  why: string
}

export const EQUIVALENT: readonly Equivalent[] = []
