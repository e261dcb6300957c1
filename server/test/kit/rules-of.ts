// Titles that name a network and the subject of a rule, so that a failing line in a log says where to look.
import { it } from 'node:test'

export interface Rules {
  /** `mtn-momo: a refund is made once`. */
  rule(title: string, test: () => unknown): void
  /** The rules within begin with this subject. */
  about(subject: string, rules: () => void): void
}

export function rulesOf(network: string): Rules {
  let subjects = ''
  return {
    rule: (title, test) => void it(`${network}: ${subjects}${title}`, async () => void (await test())),
    about: (subject, rules) => {
      const outer = subjects
      subjects += `${subject} `
      rules()
      subjects = outer
    },
  }
}
