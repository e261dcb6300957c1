// The Python package as merchants get it: its README, and what is built and installed without a
// network.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { assertAsShown, blocksOf, runBlock } from '../../../server/test/docs/printed-code.ts'
import { openTestService } from '../../../server/test/kit/service.ts'
import { DEBIAN, FOLDER, pythonsOfMachine, runs, unlessMissing } from '../find-python.ts'

const run = promisify(execFile)
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8')

describe(
  'the README of the Python client',
  unlessMissing('Python', pythonsOfMachine().length > 0),
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'karba-python-readme-'))
    const service = await openTestService(undefined, { KARBA_SANDBOX_DELAY_MS: '100' })
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const env = { KARBA_URL: url, SECRET_KEY: secretKey, PYTHONPATH: FOLDER }
    after(async () => {
      await service.remove()
      rmSync(folder, { recursive: true, force: true })
    })

    const programs = blocksOf(README).filter(({ file }) => file !== '')
    for (const block of programs)
      it(`Python client: ${block.file} of its README prints what the README shows`, async () =>
        assertAsShown(block, await runBlock(folder, block, env)))

    it('Python client: its README names each method of the client', async () => {
      const list = `import karba; print(*[name for name in vars(karba.Karba) if name[0] != "_"], *karba.__all__)`
      const { stdout } = await run('python3', ['-c', list], { cwd: FOLDER })
      const notCalled = ['url', 'environment', '__version__', 'OrderToSign', 'SignedWebhook']
      const names = stdout
        .trim()
        .split(' ')
        .filter((name) => !notCalled.includes(name) && !/Error|Read(Payment|Link)$/.test(name))
      assert.ok(names.length > 25)
      assert.deepEqual(
        names.filter((name) => !README.includes(`${name}(`) && !README.includes(`\`${name}\``)),
        [],
      )
    })
  },
)

const REPOSITORY = 'https://git.example/owner/karba'
const canBuild = runs(DEBIAN, ['-c', 'import build, setuptools, wheel'])

it('Python client: its licence is that of the repository', () =>
  assert.equal(
    readFileSync(join(FOLDER, 'LICENSE'), 'utf8'),
    readFileSync(join(FOLDER, '../../LICENSE'), 'utf8'),
  ))

describe('the built Python package', unlessMissing('python3-build', canBuild), () => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-python-package-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('Python client: wheel and sdist are built without a network, and hold the client alone', async () => {
    const dist = join(folder, 'dist')
    const env = { ...process.env, PACKAGE_REPOSITORY: REPOSITORY }
    await run(process.execPath, [join(FOLDER, 'build.ts'), dist], { env })
    const [wheel = '', sdist = ''] = readdirSync(dist).sort()
    assert.match(wheel, /^karba-\d+\.\d+\.\d+-py3-none-any\.whl$/)
    assert.match(sdist, /^karba-\d+\.\d+\.\d+\.tar\.gz$/)
    const { stdout: metadata } = await run('tar', [
      '-xzOf',
      join(dist, sdist),
      `${sdist.replace('.tar.gz', '')}/PKG-INFO`,
    ])
    assert.match(metadata, /^License: Apache-2\.0$/m)
    assert.ok(metadata.includes(`](${REPOSITORY}/blob/v`))
    assert.doesNotMatch(metadata, /\]\((?!https?:|#)/)
    const names = `import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist())`
    const { stdout } = await run(DEBIAN, ['-c', names, join(dist, wheel)])
    const files = stdout.trim().split(' ')
    for (const file of ['karba/py.typed', 'karba/facts.py', 'karba/async_client.py'])
      assert.ok(files.includes(file), file)
    assert.ok(files.some((file) => file.endsWith('/LICENSE')))
    assert.deepEqual(
      files.filter((file) => !/^karba(-[\d.]+\.dist-info)?\//.test(file) || /test/.test(file)),
      [],
    )
  })

  it('Python client: pip installs the wheel without an index, and it is imported from there', async () => {
    const dist = join(folder, 'dist')
    const [wheel = ''] = readdirSync(dist).sort()
    const target = join(folder, 'installed')
    const args = ['--no-index', '--no-deps', '--disable-pip-version-check', '--target', target]
    await run(DEBIAN, ['-m', 'pip', 'install', ...args, join(dist, wheel)])
    const program = 'import karba, sys; print(karba.__file__, karba.__version__)'
    const env = { PYTHONPATH: target }
    const { stdout } = await run(DEBIAN, ['-c', program], { cwd: folder, env })
    assert.ok(stdout.startsWith(target), stdout)
  })
})
