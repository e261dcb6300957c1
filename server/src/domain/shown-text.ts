// Text that payers read: a link's title and description, a merchant's name, an account's own wording. It must be what it looks like, so it
// holds nothing that is invisible, changes the order of letters, or passes for a blank.
import { isPlainText } from './reference.ts'

/** Joins emoji into one (a family, a flag with a colour): the only invisible character that people type, and only between two emoji. */
const EMOJI_JOINER = /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu
/** Chooses how the character before it is drawn. */
const EMOJI_STYLE = /(?<=\p{Emoji})[\ufe0e\ufe0f]/gu
/** Unicode's own list of what is not drawn: zero-width and bidi characters, fillers, tags. Also the separators of lines and paragraphs. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029]/u
/** A letter, digit, punctuation mark or symbol; U+2800 is a symbol without a dot. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

export function isShownText(value: unknown, longest: number): value is string {
  if (!isPlainText(value, longest)) return false
  const drawn = value.replace(EMOJI_JOINER, '').replace(EMOJI_STYLE, '')
  return !INVISIBLE.test(drawn) && VISIBLE.test(drawn.replaceAll('\u2800', ''))
}
