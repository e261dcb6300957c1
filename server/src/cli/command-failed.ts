// How a command fails in a way that a person can mend: with a code for programs and one sentence. What an action refuses becomes one here.
import { isRefused, type Refusal, type Refused } from '../domain/refusal.ts'
import { refusalFactFields } from '../wire/failure.ts'
import { languageOf } from './sentences/language.ts'
import { type Asked, sentenceOf } from './sentences/refusal-sentences.ts'

export class CommandFailed extends Error {
  override name = 'CommandFailed'
  readonly code: string
  readonly facts: object

  constructor(message: string, code = 'failed', facts: object = {}) {
    super(message)
    this.code = code
    this.facts = facts
  }
}

/** What was asked for. A refusal ends the command, with a sentence about what was asked. */
export function granted<Outcome extends object>(
  outcome: Outcome,
  asked: Asked = {},
): Exclude<Outcome, { refused: Refusal }> {
  if (!isRefused(outcome)) return outcome as Exclude<Outcome, { refused: Refusal }>
  const refused: Refused = outcome as object as Refused
  const sentence = sentenceOf(refused, asked, languageOf(process.env))
  throw new CommandFailed(sentence, refused.refused, refusalFactFields(refused))
}
