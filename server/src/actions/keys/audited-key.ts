// A key as the audit log names it: what it could do and until when, never the key itself.
import type { ApiKey } from '../../store/keys/api-keys.ts'

export const isValidKey = ({ expiresAt }: Pick<ApiKey, 'expiresAt'>, at: number): boolean =>
  expiresAt === null || expiresAt > at

export const auditedKey = ({ keyId, kind, name, permissions, networks, expiresAt }: ApiKey): object => ({
  ...{ key: keyId, kind },
  ...(name !== null && { name }),
  ...(permissions !== null && { permissions: permissions.split(',') }),
  ...(networks !== null && { networks: networks.split(',') }),
  ...(expiresAt !== null && { expires: new Date(expiresAt).toISOString() }),
})
