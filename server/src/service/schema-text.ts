// The tables as SQL, in the order in which the migrations make them: what docs/schema.sql shows.
import { migrations } from '../store/engine/migrate.ts'

export const schemaText = (): string =>
  migrations()
    .map(({ name, sql }) => `-- ${name}\n${sql}`)
    .join('\n')
