// The mark before each line of a check: right, to be mended, wrong.
import { styleText } from 'node:util'

const MARKS = {
  right: styleText('green', '✔'),
  warning: styleText('yellow', '!'),
  not_known: styleText('yellow', '?'),
  dangerous: styleText('red', '✖'),
  wrong: styleText('red', '✖'),
}

export const markOf = (is: keyof typeof MARKS): string => MARKS[is]
