// What is wrong in a file, as sentences for the person who wrote it: where it is, and what must be there. Values are not repeated: one may be a
// secret that does not belong there.
import type { z } from 'zod'

type Path = readonly PropertyKey[]

export function mistakesOf(error: z.ZodError, file: unknown, under: Path = []): string[] {
  return error.issues.map((issue) => sentence(issue, [...under, ...issue.path], file))
}

function sentence(issue: z.core.$ZodIssue, path: Path, file: unknown): string {
  const place = placeOf(path, file)
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `${place} is missing.`
        : `${place} must be ${A[issue.expected] ?? issue.expected}.`
    case 'unrecognized_keys':
      return `${place} has ${issue.keys.join(', ')}, which it does not know.`
    case 'invalid_value':
      return `${place} must be one of: ${issue.values.join(', ')}.`
    case 'too_small':
      return issue.message.startsWith('must')
        ? `${place} ${issue.message}.`
        : `${place} must be at least ${issue.minimum}.`
    case 'too_big':
      return `${place} must be at most ${issue.maximum}.`
    case 'invalid_format':
      return issue.format === 'url'
        ? `${place} must be an address that begins with https://.`
        : `${place} ${issue.message}.`
    default:
      if (issue.code === 'invalid_union' && issue.input === undefined) return `${place} is missing.`
      return `${place} ${issue.message}.`
  }
}

const A: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  object: 'an object: {…}',
  record: 'an object: {…}',
  array: 'a list: […]',
}

/** `live.connections[0] (mtn-benin).options.apiKey`, or the file itself. */
function placeOf(path: Path, file: unknown): string {
  let text = ''
  let at: unknown = file
  for (const step of path) {
    at = (at as Record<PropertyKey, unknown> | undefined)?.[step]
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step)}`
    const name = typeof step === 'number' ? (at as { name?: unknown } | undefined)?.name : undefined
    if (typeof name === 'string' && /^[a-z0-9-]{1,40}$/.test(name)) text += ` (${name})`
  }
  return text === '' ? 'The file' : text
}
