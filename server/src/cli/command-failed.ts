// The error of a command that its user can correct: a code for programs and one sentence. An action's refusal becomes such an error here.
import { isRefused, type Refusal, type Refused } from '../domain/refusal.ts'
import { refusalFactFields } from '../wire/command-output.ts'
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

/** Returns the outcome unless it is a refusal, which ends the command with a sentence about what was asked for. */
export function granted<Outcome extends object>(
  outcome: Outcome,
  asked: Asked = {},
): Exclude<Outcome, { refused: Refusal }> {
  if (!isRefused(outcome)) return outcome as Exclude<Outcome, { refused: Refusal }>
  const refused: Refused = outcome as object as Refused
  const sentence = sentenceOf(refused, asked, languageOf(process.env))
  throw new CommandFailed(sentence, refused.refused, refusalFactFields(refused))
}
