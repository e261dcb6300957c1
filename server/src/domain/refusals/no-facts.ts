// Of a refusal whose name says all.

// biome-ignore lint/complexity/noBannedTypes: a refusal without facts adds nothing to its name
export type NoFacts = {}
