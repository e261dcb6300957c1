// The form of a refusal: its name, and the facts that the catalogue of its noun gives it.
// refusals/refusal.ts joins the catalogues of all nouns to one closed list.

/** Of a refusal whose name says all. */
// biome-ignore lint/complexity/noBannedTypes: a refusal without facts adds nothing to its name
export type NoFacts = {}

/** A refusal by one of these names of a catalogue. */
export type RefusedOf<Catalogue, Name extends keyof Catalogue> = Name extends keyof Catalogue
  ? { refused: Name } & Catalogue[Name]
  : never
