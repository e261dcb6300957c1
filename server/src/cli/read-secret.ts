// Reads a command's secret from standard input, so that it is not in the shell's history or the list of processes.
import { text } from 'node:stream/consumers'

/** `-` stands for standard input. */
export async function readSecret(given: string): Promise<string> {
  if (given !== '-') return given
  if (process.stdin.isTTY) process.stderr.write('Type or paste it, then press Enter and Ctrl-D.\n')
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}
