// What actions ask of the parser of statement files. It works in threads of its own with limits on time and memory
// (service/statement-parser.ts): a hostile file costs its sender a refusal, and nobody else a request.
import type { ColumnMapping, StatementLine } from '../domain/statement.ts'
import type { Row } from './csv-rows.ts'
import type { StatementSample } from './propose-mapping.ts'
import type { StatementSource } from './statement-rows.ts'

/** For whom a file is read: one file at a time is read in a process, and these take turns. */
export interface ParsingTurn {
  /** An account, a member of staff, or a part of the service. */
  group: string
  /** The caller's network, for an account of a merchant that is not validated: together these have one turn. */
  unvalidatedAt?: string | undefined
  /** The client has left: reading ends. */
  signal?: AbortSignal | undefined
}

/** Each reads a file from its beginning, and throws `StatementRefused` at its first fault. */
export interface StatementParser {
  sample(source: StatementSource, turn: ParsingTurn): Promise<StatementSample>
  lines(source: StatementSource, mapping: ColumnMapping, turn: ParsingTurn): AsyncGenerator<StatementLine>
  /** The lines of a file that was read to its end before. Its reader may take minutes: others read meanwhile. */
  linesAgain(open: () => StatementSource, mapping: ColumnMapping, turn: ParsingTurn): AsyncGenerator<StatementLine>
  rows(source: StatementSource, turn: ParsingTurn): AsyncGenerator<Row>
  close(): Promise<void>
}

/** Too many files wait to be read. */
export class ParserBusy extends Error {
  override readonly name = 'ParserBusy'
}

/** The client has left, or the service stops. */
export class ParsingStopped extends Error {
  override readonly name = 'ParsingStopped'
}
