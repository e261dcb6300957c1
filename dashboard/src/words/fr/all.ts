// The table of this language, in one piece: it is loaded when the language is chosen.
import type { Words } from '../words.ts'
import { account } from './account.ts'
import { activity } from './activity.ts'
import { console } from './console.ts'
import { developers } from './developers.ts'
import { errors } from './errors.ts'
import { links } from './links.ts'
import { money } from './money.ts'
import { people } from './people.ts'
import { phone } from './phone.ts'
import { shell } from './shell.ts'
import { typeset } from './typeset.ts'

export const words: Words = typeset({
  shell,
  errors,
  people,
  money,
  links,
  developers,
  phone,
  account,
  activity,
  console,
})
