// A self-signed certificate for a name or an address, made by openssl.
import { execFileSync } from 'node:child_process'
import { isIP } from 'node:net'
import { join } from 'node:path'

export function makeCertificate(folder: string, name: string): { key: string; cert: string } {
  const [key, cert] = [join(folder, 'privkey.pem'), join(folder, 'fullchain.pem')]
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '90']
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${isIP(name) === 0 ? 'DNS' : 'IP'}:${name}`]
  execFileSync('openssl', [...kind, '-keyout', key, '-out', cert, ...names], { stdio: 'ignore' })
  return { key, cert }
}
