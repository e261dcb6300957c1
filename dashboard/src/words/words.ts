// Every text of the page, one table a language. French is written first and gives the type: English does not compile without a text.
import type { account } from './fr/account.ts'
import type { activity } from './fr/activity.ts'
import type { console } from './fr/console.ts'
import type { developers } from './fr/developers.ts'
import type { errors } from './fr/errors.ts'
import type { links } from './fr/links.ts'
import type { money } from './fr/money.ts'
import type { people } from './fr/people.ts'
import type { phone } from './fr/phone.ts'
import type { shell } from './fr/shell.ts'

export interface Words {
  shell: typeof shell
  errors: typeof errors
  people: typeof people
  money: typeof money
  links: typeof links
  developers: typeof developers
  phone: typeof phone
  account: typeof account
  activity: typeof activity
  console: typeof console
}
