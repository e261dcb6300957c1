// The machine that figures were measured on, in words that say enough and name nobody.
import { availableParallelism, cpus, totalmem } from 'node:os'

export function machineText(): string {
  const model =
    cpus()[0]
      ?.model.replace(/\(R\)|\(TM\)/g, '')
      .trim() ?? 'unknown processor'
  const memoryGb = Math.round(totalmem() / 2 ** 30)
  const day = new Date().toISOString().slice(0, 10)
  return `${availableParallelism()} cores (${model}), ${memoryGb} GB of memory, Node ${process.versions.node}, ${day}`
}
