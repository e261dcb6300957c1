// Reads the text of single settings. Each throws the rest of a sentence that begins with the setting's name ("must be …") when the text is
// not valid.
import { isIP } from 'node:net'
import { COUNTRIES, isCountry } from '../domain/country.ts'
import type { CallKind } from '../domain/operator-report.ts'
import { operatorNames, type PrefixRoute } from '../operators/registry.ts'
import { readAllowedTargets } from '../webhooks/safe-address.ts'

export function text(given: string): string {
  return given
}

export function integer(least: number, most: number): (given: string) => number {
  return (given) => {
    const value = Number(given)
    if (!/^\d+$/.test(given) || value < least || value > most) {
      throw new Error(`must be a whole number from ${least} to ${most}`)
    }
    return value
  }
}

export function oneOf<Value extends string>(...values: Value[]): (given: string) => Value {
  return (given) => {
    if (!values.includes(given as Value)) throw new Error(`must be one of: ${values.join(', ')}`)
    return given as Value
  }
}

export function listOf<T>(read: (item: string) => T): (given: string) => readonly T[] {
  return (given) => {
    const items = given.split(',').map((item) => item.trim())
    return [...new Set(items)].filter((item) => item !== '').map(read)
  }
}

export function knownOperator(name: string): string {
  const known = COUNTRIES.flatMap(operatorNames)
  if (!known.includes(name)) throw new Error(`may name these alone: ${known.join(', ')}`)
  return name
}

export function prefixRoute(item: string): PrefixRoute {
  const [, country, prefix, operator] = /^(\w+):(\d\d)=(\w+)$/.exec(item) ?? []
  if (prefix === undefined || operator === undefined) throw new Error('must be written like NE:93=airtel_ne')
  if (!isCountry(country)) throw new Error(`may name these countries alone: ${COUNTRIES.join(', ')}`)
  const known = operatorNames(country)
  if (!known.includes(operator)) throw new Error(`may name these in ${country} alone: ${known.join(', ')}`)
  return { country, prefix, operator }
}

export interface OperatorLimit {
  operator: string
  kind: CallKind
  most: number
}

export function operatorLimit(item: string): OperatorLimit {
  const [, operator, kind, most] = /^(\w+):(request|status)=(\d{1,4})$/.exec(item) ?? []
  if (operator === undefined || Number(most) < 1) throw new Error('must be written like mtn_bj:request=20')
  return { operator: knownOperator(operator), kind: kind as CallKind, most: Number(most) }
}

export function databaseUrl(given: string): string {
  if (!/^sqlite:.+/.test(given) && !/^postgres(ql)?:\/\/.+/.test(given)) {
    throw new Error('must begin with sqlite: or postgres://')
  }
  return given
}

export function httpUrl(given: string): string {
  if (given === '') return given
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '') {
    throw new Error('must be an http or https address without a path')
  }
  return url.origin
}

export function smtpUrl(given: string): string {
  if (given !== '' && !/^smtps?:$/.test(URL.parse(given)?.protocol ?? '')) {
    throw new Error('must begin with smtp:// or smtps://')
  }
  return given
}

export function masterKey(given: string): string {
  if (given !== '' && !/^[0-9a-fA-F]{64}$/.test(given)) throw new Error('must be 64 hexadecimal digits')
  return given.toLowerCase()
}

/** Checks only: Fastify takes the list as text. */
export function networks(given: string): string {
  const isNetwork = (each: string): boolean => {
    const [address = '', bits = '0', ...more] = each.split('/')
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] as number
    return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
  }
  if (given !== '' && !given.split(',').every(isNetwork))
    throw new Error('must be addresses or networks such as 10.0.0.0/8')
  return given
}

/** Checks only: webhook-worker.ts reads the list again. */
export function allowedTargets(given: string): string {
  if (given !== '') readAllowedTargets(given)
  return given
}
