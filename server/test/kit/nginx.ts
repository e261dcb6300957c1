// The samples of deploy/ in a real nginx, with the test's addresses and certificate in the place of
// the user's.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const NGINX = '/usr/sbin/nginx'

export interface NginxPlace {
  /** Has the certificate. nginx's workers run as another user, who must be able to read it. */
  folder: string
  /** In the place of pay.example.com. */
  name?: string
  /** Ports of this machine. */
  plain: number
  secure: number
}

/** Writes the sample and a configuration around it; returns the arguments of nginx. */
export function configureNginx(
  { folder, name = 'pay.example.com', plain, secure }: NginxPlace,
  sample: string,
): string[] {
  const placed = sample
    .replaceAll('listen 80;', `listen 127.0.0.1:${plain};`)
    .replaceAll('listen 443 ', `listen 127.0.0.1:${secure} `)
    .replaceAll('/etc/letsencrypt/live/pay.example.com/', `${folder}/`)
    .replaceAll('pay.example.com', name)
  writeFileSync(join(folder, 'karba.conf'), placed)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((each) => `${each}_temp_path ${folder}/${each};`)
    .join(' ')
  const http = `access_log off; ${temporary} include ${folder}/karba.conf;`
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr; events {} http { ${http} }`,
  )
  return ['-c', join(folder, 'nginx.conf')]
}
