// A text that fits one SMS: 160 characters of the alphabet that all phones share (GSM 03.38). One other character, a curly quote or a
// non-breaking space, would leave room for 70, and three messages are paid for instead of one.

const LONGEST = 160
const ALPHABET =
  '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const INSTEAD: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '«': '"',
  '»': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  œ: 'oe',
  Œ: 'OE',
}

/**
 * In the SMS alphabet: the letter without its accent where it has no such letter, nothing for what it cannot write.
 * @internal
 */
export function inSmsAlphabet(text: string): string {
  const letters = [...text.replace(/\s/g, ' ')].map(inAlphabet).join('')
  return letters.replace(/ {2,}/g, ' ')
}

function inAlphabet(character: string): string {
  if (ALPHABET.includes(character)) return character
  const instead = INSTEAD[character] ?? character.normalize('NFD')
  return [...instead].filter((each) => ALPHABET.includes(each)).join('')
}

/** `write` is given whom to name: the merchant with what it is for, the merchant alone, or as much of its name as there is room for. */
export function smsText(write: (whom: string) => string, merchant: string, purpose: string, url: string): string {
  const whole = (whom: string): string => inSmsAlphabet(write(whom)) + url
  const wished = [`${merchant} (${purpose})`, merchant].map(whole).find((text) => text.length <= LONGEST)
  if (wished !== undefined) return wished
  const room = LONGEST - whole('x').length + 1
  return room > 0 ? whole(inSmsAlphabet(merchant).slice(0, room).trim()) : url
}
