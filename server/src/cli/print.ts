// Prints the result of a command: one JSON value for programs, or lines for people.

export function print(json: boolean | undefined, value: unknown, lines: readonly string[]): void {
  process.stdout.write(json ? `${jsonText(value)}\n` : `${lines.join('\n')}\n`)
}

/** JSON escapes U+0000 to U+001F by itself. U+0080 to U+009F are control characters too: U+009B begins a command to the terminal. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
