// How high a chart is.

/** The next round number: 1, 2, 4 or 8 times a power of ten, which two and four lines divide well. */
export function ceiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 8, 10].find((each) => each * power >= value) ?? 10) * power
}
