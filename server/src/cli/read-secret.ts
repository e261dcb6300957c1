// Reads a command's secrets from standard input, so that they are not in the shell's history or the list of processes.
import { text } from 'node:stream/consumers'
import { CommandFailed } from './command-failed.ts'

/** `-` stands for a line of standard input: the first `-` for the first line. Whatever else is given is the secret itself, or undefined. */
export async function readSecrets<Given extends readonly (string | undefined)[]>(...given: Given): Promise<Given> {
  const wanted = given.filter((each) => each === '-').length
  if (wanted === 0) return given
  if (process.stdin.isTTY) process.stderr.write('Type or paste it, then press Enter and Ctrl-D.\n')
  const lines = (await text(process.stdin)).replace(/\r?\n$/, '').split(/\r?\n/)
  // The lines are not repeated: they are secrets.
  if (lines.length !== wanted) {
    throw new CommandFailed(`Standard input must have one line for each -: ${wanted}. It has ${lines.length}.`)
  }
  return given.map((each) => (each === '-' ? lines.shift() : each)) as unknown as Given
}

export async function readSecret(given: string): Promise<string> {
  const [secret] = await readSecrets(given)
  return secret
}
