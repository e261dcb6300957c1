// Addresses that no webhook may reach, in forms that have bypassed checks. PORT is a port that
// listens on this machine.

/** Complete addresses; a second round uses the scheme https. */
export const FORBIDDEN_URLS: readonly string[] = [
  ...hosts(
    // Loopback: plain, shortened, as one number, in hex and in octal.
    '127.0.0.1 127.0.0.2 127.255.255.254 127.1 127.0.1 2130706433 0x7f000001 0X7F000001 0x7f.0.0.1 0x7f.0x0.0x0.0x1',
    '0x7f.1 0x7f.0.1 017700000001 0177.0.0.1 0177.0.0.01 0000000177.0.0.1 0177.1 127.0x0.00.1 0x7f.0.0.01 127.0.0.0x1',
    // Trailing dots, and dots and digits of other scripts.
    '127.0.0.1. 2130706433. 0x7f.1. ①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1 127｡0｡0｡1 １２７.0.0.1 𝟏𝟐𝟕.𝟎.𝟎.𝟏 ⑫7.0.0.1 ¹²⁷.0.0.1',
    '₁₂₇.0.0.1 ０x7f.1 127.0.0.1。 %31%32%37.0.0.1 127%2E0%2E0%2E1 127.0.0.1%2e 127\u00ad.0.0.1 127.0.\u200b0.1 \u2060127.0.0.1',
    // Loopback in IPv6: long, short, mapped, compatible, translated, tunnelled.
    '[::1] [0::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0.0.0.1] [::ffff:127.0.0.1]',
    '[::FFFF:7F00:1] [0:0:0:0:0:ffff:7f00:0001] [::ffff:127.0.0.2] [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:1::1] [2001:0:7f00:1::] [2001:0:4136:e378:8000:63bf:80ff:fffe]',
    // The unspecified address, which the system connects to loopback.
    '0.0.0.0 0 0x0 00 0.0 0x 0.0.0.1 0.1.2.3 [::] [0:0:0:0:0:0:0:0] [::ffff:0.0.0.0] [::ffff:0:0]',
    // Private networks.
    '10.0.0.1 10.255.255.255 10.1 167772161 0xa000001 012.0.0.1 172.16.0.1 172.31.255.255 0xac.16.1 192.168.0.1 192.168.1.1',
    '3232235521 0300.0250.0.1 [::ffff:10.0.0.1] [::ffff:192.168.0.1] [64:ff9b::10.0.0.1] [64:ff9b::c0a8:1] [2002:a00:1::]',
    '[fc00::1] [fd00::2] [fdff:ffff::1] [fec0::1] [feff::1]',
    // Link-local, and the metadata services of clouds.
    '169.254.0.1 169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518 169.16689662 0xa9.254.0251.254',
    '169.254.170.2 [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [64:ff9b::a9fe:a9fe] [fd00:ec2::254] [fd20:ce::254]',
    '100.100.100.200 192.0.0.192 168.63.129.16 [::ffff:168.63.129.16] [fe80::1] [fe80::a9fe:a9fe] [febf::1]',
    // Shared, reserved, documentation, benchmarks, multicast, broadcast, unassigned.
    '100.64.0.1 100.127.255.255 192.0.0.1 192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 198.19.255.255 192.88.99.1',
    '192.175.48.1 192.31.196.1 192.52.193.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.254 255.255.255.255 4294967295',
    '[ff02::1] [ff0e::1] [100::1] [2001:db8::1] [3fff::1] [2001:1::1] [2001:2::1] [2001:10::1] [2001:20::1] [2001:30::1]',
    '[2001:4:112::1] [2620:4f:8000::1] [5f00::1] [4000::1] [e000::1] [1::1] [::2] [::1.1.1.1]',
    // Internal names.
    'localhost LOCALHOST localhost. localhost.. api.localhost localhost.localdomain ⓛⓞⓒⓐⓛⓗⓞⓢⓣ loc%61lhost printer.local',
    'karba.default.svc.cluster.local metadata.google.internal metadata.google.internal. metadata db db. router.lan nas.home.arpa intranet',
    // Another host name as user information.
    'user@127.0.0.1 user:password@127.0.0.1 example.com@127.0.0.1 example.com%2F@127.0.0.1 @127.0.0.1 :@127.0.0.1 example.com:443@127.0.0.1',
    'user@localhost user@[::1]',
  ),
  // Forms that two parsers read differently.
  'http:\\\\127.0.0.1:PORT\\',
  'http:/127.0.0.1:PORT/',
  'http:127.0.0.1:PORT/',
  'http:///127.0.0.1:PORT/',
  'HTTP://127.0.0.1:PORT/',
  'http://127.0.0.1:PORT\\@example.com/',
  'http://127.0.0.1:PORT/#@example.com/',
  'http://127.0.0.1:PORT#@example.com/',
  'http://127.0.0.1:PORT?@example.com/',
  'http://127.0.0.1:PORT/..//example.com/',
  ' http://127.0.0.1:PORT/',
  'http://127.0.\t0.1:PORT/',
  'http://127.0.0.1\n:PORT/',
  'ht\ntp://127.0.0.1:PORT/',
]

/** Not addresses of a web server. */
export const NO_URLS: readonly string[] = [
  '',
  '//127.0.0.1:PORT/',
  '127.0.0.1:PORT',
  'file:///etc/passwd',
  'ftp://127.0.0.1:PORT/',
  'gopher://127.0.0.1:PORT/',
  'ws://127.0.0.1:PORT/',
  'unix:/var/run/docker.sock',
  'data:text/plain,hello',
  'blob:http://127.0.0.1:PORT/',
  'http://',
  'http://[::1',
  'http://[fe80::1%25eth0]:PORT/',
  'http://256.256.256.256/',
  'http://127.0.0.1:99999/',
  'http://127.0.0.1%00.example.com/',
]

/** DNS answers for an ordinary name. */
export const FORBIDDEN_ANSWERS: readonly string[] = [
  '127.0.0.1',
  '127.0.0.2',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '::1.1.1.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '168.63.129.16',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%lo',
  '2606:4700::1%lo',
  // No resolver should return these, and a socket would look them up again.
  'localhost',
  '127.1',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '2130706433',
  '127.0.0.1 ',
  '',
]

/** Public addresses next to forbidden ranges. No test connects to them. */
export const PUBLIC_HOSTS: readonly string[] = words(
  '1.1.1.1 9.255.255.255 11.0.0.0 93.184.215.14 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0',
  '172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.17',
  '[2606:4700::1111] [2a00:1450:4001:80b::200e] [2001:4860:4860::8888] [2003::1] [::ffff:1.1.1.1] [64:ff9b::101:101]',
  'example.com www.example.com. hooks.example.com xn--nxasmq6b.example boutique.ne bücher.example local.example.com internal.example.com',
  'mylocalhost.com notinternal.example localhost.example.com 127.0.0.1.example.com',
)

function hosts(...lines: string[]): string[] {
  return words(...lines).map((host) => `http://${host}:PORT/`)
}

function words(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(' '))
}
