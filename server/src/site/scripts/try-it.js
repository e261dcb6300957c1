// Shows the forms of /docs and sends what is typed there to this service, in sandbox only. Keeps nothing: the key is gone with the page.
const keyForm = document.querySelector('form.key')
keyForm.hidden = false
keyForm.addEventListener('submit', (event) => event.preventDefault())

for (const form of document.querySelectorAll('form.try')) {
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const output = form.querySelector('output')
    output.textContent = '…'
    output.textContent = await answerTo(form).catch((error) => `No answer: ${error.message}`)
  })
}

async function answerTo(form) {
  const { method, address, paymentType } = form.dataset
  const key = keyForm.elements.key.value.trim()
  const needsKey = paymentType !== undefined
  if (needsKey && !key.startsWith('sk_sandbox_')) return 'Type a sandbox secret key above: sk_sandbox_…'
  let path = address
  const query = new URLSearchParams()
  for (const input of form.querySelectorAll('input')) {
    const value = input.value.trim()
    if (input.dataset.in === 'path') {
      if (value === '') return `Type a ${input.name}.`
      path = path.replace(`{${input.name}}`, encodeURIComponent(value))
    } else if (value !== '') query.set(input.name, value)
  }
  const headers = needsKey
    ? {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${key}`,
        'Svc-Target-Environment': 'sandbox',
        'Svc-Payment-Type': paymentType,
      }
    : {}
  const answer = await fetch(`${path}${query.size > 0 ? `?${query}` : ''}`, {
    method,
    headers,
    body: form.elements.body?.value,
  })
  const text = await answer.text()
  const own = [...answer.headers].filter(([name]) => /^(svc-|x-request-id|retry-after)/.test(name))
  const lines = own.map(([name, value]) => `${name}: ${value}`)
  return [`${answer.status} ${answer.statusText}`, ...lines, '', pretty(text)].join('\n')
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
