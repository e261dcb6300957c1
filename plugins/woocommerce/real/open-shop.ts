// A real shop on this machine: WordPress with WooCommerce and the plugin behind nginx and PHP-FPM,
// on a MariaDB of its own, and a Karba that it asks. Each part is a process that a test may kill.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  freePort,
  type RunningServer,
  spawnKarba,
  startProcess,
} from '../../../server/test/kit/process.ts'
import { until } from '../../../server/test/kit/waiting.ts'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const BUILD = fileURLToPath(new URL('../build.ts', import.meta.url))
const WORKERS = 12
const TOKEN = randomBytes(12).toString('hex')

export interface ShopWishes {
  /** A folder that has the plugin WooCommerce as `woocommerce`. */
  woocommerce: string
  /** A folder of WordPress; Debian's by default. */
  wordpress: string
  /** A folder of themes; a plain one by default. */
  theme: string | undefined
  /** Where orders are: the tables of their own, posts, or both. */
  orders: 'tables' | 'posts' | 'both'
  checkout: 'classic' | 'blocks'
  locale: 'en_US' | 'fr_FR'
  isCronOff: boolean
  sandboxDelayMs: number
}

export const PLAIN: Omit<ShopWishes, 'woocommerce'> = {
  wordpress: process.env.KARBA_WORDPRESS ?? '/usr/share/wordpress',
  theme: process.env.KARBA_WORDPRESS_THEME,
  orders: 'tables',
  checkout: 'classic',
  locale: 'en_US',
  isCronOff: true,
  sandboxDelayMs: 500,
}

export interface Versions {
  wordpress: string
  woocommerce: string
  database: string
  php: string
}

export interface Account {
  id: string
  key: string
}

export interface Shop {
  url: string
  folder: string
  site: string
  versions: Versions
  password: string
  karba: { url: string; sandbox: Account; live: Account }
  /** Asks the shop's probe; the answer of its method. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
  probe(what: string, asked?: object): Promise<any>
  database: { kill(): Promise<void>; start(): Promise<void> }
  php: { kill(): Promise<void>; start(): Promise<void>; pid(): number }
  service: { kill(): Promise<void>; start(): Promise<void> }
  close(): Promise<void>
}

/** What the machine lacks, or undefined. */
export function whatIsMissing(): string | undefined {
  if (process.env.KARBA_WOOCOMMERCE === undefined)
    return 'KARBA_WOOCOMMERCE does not name a folder with the plugin WooCommerce'
  const programs = ['/usr/sbin/mariadbd', '/usr/sbin/nginx', phpFpm(), PLAIN.wordpress]
  return programs.find((each) => !existsSync(each)) && `this machine lacks ${programs.join(', ')}`
}

function phpFpm(): string {
  const version = execFileSync('php', ['-r', 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;'])
  return `/usr/sbin/php-fpm${version}`
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

/** A part that is killed and started again. */
function part(name: string, port: number, launch: () => ChildProcess) {
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    child = launch()
    await until(`${name} that listens`, async () => {
      if (child?.exitCode !== null) throw new Error(`${name} ended with ${child?.exitCode}`)
      return await isListening(port)
    })
  }
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const running = child
    child = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const ended = once(running, 'exit')
    try {
      process.kill(-(running.pid as number), signal)
    } catch {
      running.kill(signal)
    }
    await ended
  }
  return {
    start,
    kill: () => kill(),
    stop: () => kill('SIGTERM'),
    pid: (): number => child?.pid as number,
  }
}

const launchIn = (folder: string, name: string, command: string, args: string[]): ChildProcess => {
  const child = spawn(
    'sh',
    ['-c', `exec "$@" >>"$0" 2>&1`, join(folder, `${name}.log`), command, ...args],
    {
      stdio: 'ignore',
      detached: true,
    },
  )
  child.on('error', () => {})
  return child
}

function openDatabase(folder: string, port: number) {
  const data = join(folder, 'database')
  const user = userInfo().username
  mkdirSync(data)
  execFileSync(
    'mariadb-install-db',
    [`--datadir=${data}`, `--user=${user}`, '--auth-root-authentication-method=normal'],
    { stdio: 'ignore' },
  )
  return part('MariaDB', port, () =>
    launchIn(folder, 'database', '/usr/sbin/mariadbd', [
      '--no-defaults',
      `--datadir=${data}`,
      `--user=${user}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'database.sock')}`,
      `--pid-file=${join(folder, 'database.pid')}`,
      '--innodb-buffer-pool-size=512M',
      '--max-connections=200',
    ]),
  )
}

function sql(port: number, statement: string): void {
  execFileSync('mariadb', ['--no-defaults', '-h127.0.0.1', `-P${port}`, '-uroot', '-e', statement])
}

function openPhp(folder: string, port: number) {
  const config = join(folder, 'fpm.conf')
  writeFileSync(
    config,
    `[global]
error_log = ${folder}/fpm.log
daemonize = no
[www]
listen = 127.0.0.1:${port}
pm = static
pm.max_children = ${WORKERS}
catch_workers_output = yes
php_admin_value[error_log] = ${folder}/php.log
php_admin_flag[log_errors] = on
php_admin_value[memory_limit] = 256M
php_admin_value[opcache.memory_consumption] = 256
php_admin_value[opcache.max_accelerated_files] = 30000
php_admin_value[opcache.revalidate_freq] = 60
`,
  )
  return part('PHP-FPM', port, () =>
    launchIn(folder, 'php', phpFpm(), ['--nodaemonize', '--allow-to-run-as-root', '-y', config]),
  )
}

function openWeb(folder: string, site: string, port: number, phpPort: number) {
  const config = join(folder, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; worker_processes 1;
${userInfo().uid === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types; access_log off;
  client_body_temp_path ${folder}/body; fastcgi_temp_path ${folder}/fastcgi;
  proxy_temp_path ${folder}/proxy; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port}; root ${site}; index index.php; client_max_body_size 8m;
    location / { try_files $uri $uri/ /index.php?$args; }
    location ~ \\.php$ {
      include /etc/nginx/fastcgi_params; fastcgi_param HTTP_HOST $http_host;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_pass 127.0.0.1:${phpPort}; fastcgi_read_timeout 900;
    }
  }
}
`,
  )
  return part('nginx', port, () => launchIn(folder, 'web', '/usr/sbin/nginx', ['-c', config]))
}

/** The files of the site, with a theme of four lines if there is none. */
function writeSite(folder: string, wishes: ShopWishes, url: string, databasePort: number): string {
  const site = join(folder, 'site')
  const content = join(site, 'wp-content')
  cpSync(wishes.wordpress, site, {
    recursive: true,
    dereference: true,
    filter: (file) =>
      !/wp-config\.php$|\.htaccess$|\/wp-content\/(plugins|themes|uploads)\//.test(file),
  })
  for (const name of ['plugins', 'themes', 'uploads', 'mu-plugins'])
    mkdirSync(join(content, name), { recursive: true })
  cpSync(join(wishes.woocommerce, 'woocommerce'), join(content, 'plugins/woocommerce'), {
    recursive: true,
  })
  cpSync(join(HERE, 'probe.php'), join(content, 'mu-plugins/probe.php'))
  execFileSync(process.execPath, [BUILD, folder], { stdio: 'ignore' })
  cpSync(join(folder, 'karba'), join(content, 'plugins/karba'), { recursive: true })
  const theme = join(content, 'themes', themeName(wishes))
  if (wishes.theme !== undefined)
    cpSync(wishes.theme, theme, { recursive: true, dereference: true })
  else writePlainTheme(theme)
  writeFileSync(join(site, 'wp-config.php'), configOf(folder, wishes, url, databasePort))
  return site
}

const themeName = ({ theme }: ShopWishes): string => theme?.split('/').pop() ?? 'plain'

function writePlainTheme(theme: string): void {
  mkdirSync(theme)
  writeFileSync(join(theme, 'style.css'), '/*\nTheme Name: Plain\n*/\n')
  writeFileSync(
    join(theme, 'index.php'),
    '<!doctype html><html <?php language_attributes(); ?>><head><meta name="viewport" content="width=device-width"><?php wp_head(); ?></head><body <?php body_class(); ?>><?php while (have_posts()) { the_post(); the_content(); } wp_footer(); ?></body></html>\n',
  )
}

function configOf(folder: string, wishes: ShopWishes, url: string, databasePort: number): string {
  const constants = {
    DB_NAME: 'shop',
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `127.0.0.1:${databasePort}`,
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
    WP_HOME: url,
    WP_SITEURL: url,
    WP_DEBUG: true,
    WP_DEBUG_DISPLAY: false,
    WP_DEBUG_LOG: join(folder, 'debug.log'),
    WP_HTTP_BLOCK_EXTERNAL: true,
    WP_ACCESSIBLE_HOSTS: '127.0.0.1',
    AUTOMATIC_UPDATER_DISABLED: true,
    DISABLE_WP_CRON: wishes.isCronOff,
    PROBE_TOKEN: TOKEN,
    PROBE_FOLDER: folder,
    AUTH_KEY: TOKEN,
    SECURE_AUTH_KEY: TOKEN,
    LOGGED_IN_KEY: TOKEN,
    NONCE_KEY: TOKEN,
    AUTH_SALT: TOKEN,
    SECURE_AUTH_SALT: TOKEN,
    LOGGED_IN_SALT: TOKEN,
    NONCE_SALT: TOKEN,
  }
  const lines = Object.entries(constants).map(
    ([name, value]) => `define('${name}', ${typeof value === 'string' ? `'${value}'` : value});`,
  )
  return `<?php\n${lines.join('\n')}\n$table_prefix = 'wp_';\nif (!defined('ABSPATH')) { define('ABSPATH', __DIR__ . '/'); }\nrequire_once ABSPATH . 'wp-settings.php';\n`
}

async function openKarba(folder: string, port: number, wishes: ShopWishes) {
  const env = {
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(folder, 'service/karba.db')}`,
    KARBA_DATA_DIR: join(folder, 'service'),
    KARBA_SANDBOX_DELAY_MS: String(wishes.sandboxDelayMs),
    KARBA_LOG_LEVEL: 'error',
  }
  mkdirSync(join(folder, 'service'))
  let server: RunningServer = await startProcess(env)
  const made = await spawnKarba(
    ['merchant', 'create', '--name', 'Boutique Awa', '--validate-live', '--json'],
    env,
  )
  if (made.code !== 0) throw new Error(made.stderr)
  const merchant = JSON.parse(made.stdout)
  const accountOf = (environment: string): Account => ({
    id: merchant[environment].account ?? merchant[environment].account_id,
    key: merchant[environment].secret_key,
  })
  return {
    env,
    url: server.url,
    sandbox: accountOf('sandbox'),
    live: accountOf('live'),
    kill: async (): Promise<void> => {
      await server.end('SIGKILL')
    },
    start: async (): Promise<void> => {
      server = await startProcess(env)
    },
    stop: () => server.end('SIGTERM'),
  }
}

export async function openShop(wishes: ShopWishes): Promise<Shop> {
  const folder = mkdtempSync(join(tmpdir(), 'karba-woocommerce-'))
  chmodSync(folder, 0o755)
  const [databasePort, phpPort, webPort, karbaPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const url = `http://127.0.0.1:${webPort}`
  const database = openDatabase(folder, databasePort)
  await database.start()
  sql(databasePort, 'create database shop character set utf8mb4')
  const site = writeSite(folder, wishes, url, databasePort)
  const karba = await openKarba(folder, karbaPort, wishes)
  const password = randomBytes(9).toString('base64url')
  const settings = {
    enabled: 'yes',
    environment: 'sandbox',
    url: karba.url,
    sandbox_key: karba.sandbox.key,
    live_key: karba.live.key,
    ways: 'both',
    title: 'Mobile money',
    sandbox_for_all: 'yes',
  }
  const asked = { ...wishes, theme: themeName(wishes), url, password, settings }
  const prepare = (step: string): Versions =>
    JSON.parse(
      execFileSync('php', [
        '-d',
        'memory_limit=512M',
        join(HERE, 'prepare-site.php'),
        step,
        site,
        JSON.stringify(asked),
      ])
        .toString()
        .trim()
        .split('\n')
        .pop() as string,
    )
  prepare('wordpress')
  sql(
    databasePort,
    'use shop; create table probe_notes (id bigint auto_increment primary key, order_id bigint, what varchar(190), at timestamp(3) default current_timestamp(3), key (order_id, what)); create table probe_kills (point varchar(60) primary key, left_over int)',
  )
  prepare('woocommerce')
  prepare('shop')
  const versions = prepare('plugin')
  const php = openPhp(folder, phpPort)
  const web = openWeb(folder, site, webPort, phpPort)
  await php.start()
  await web.start()

  async function probe(what: string, given: object = {}): Promise<unknown> {
    const answer = await fetch(`${url}/?probe=${what}`, {
      method: 'POST',
      headers: { 'x-probe': TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify(given),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${what}: ${answer.status} ${text.slice(0, 2000)}`)
    try {
      return JSON.parse(text).answer
    } catch {
      throw new Error(`${what}: ${text.slice(0, 2000)}`)
    }
  }

  return {
    url,
    folder,
    site,
    versions,
    password,
    karba: { url: karba.url, sandbox: karba.sandbox, live: karba.live },
    probe,
    database,
    php,
    service: karba,
    close: async () => {
      await web.stop()
      await php.stop()
      await database.kill()
      await karba.stop()
      if (process.env.KARBA_KEEP_SHOP === undefined)
        rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What PHP and WordPress complained about. */
export const complaintsOf = (shop: Shop): string[] =>
  ['php.log', 'debug.log'].flatMap((name) => {
    const file = join(shop.folder, name)
    return existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line.includes('plugins/karba/'))
      : []
  })
