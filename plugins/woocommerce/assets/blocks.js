// The payment method in the checkout of blocks. Needs no build: it uses what WordPress has loaded.
;(() => {
  const { createElement: element, useEffect, useState } = window.wp.element
  const { registerPaymentMethod } = window.wc.wcBlocksRegistry
  const { decodeEntities } = window.wp.htmlEntities
  const data = window.wc.wcSettings.getSetting('karba_data', {})
  const title = decodeEntities(data.title || '')

  const ways = (way, setWay) =>
    ['prompt', 'page'].map((each) =>
      element(
        'p',
        { className: 'karba-way', key: each },
        element(
          'label',
          null,
          element('input', {
            type: 'radio',
            name: 'karba_way',
            value: each,
            checked: way === each,
            onChange: () => setWay(each),
          }),
          ` ${data.words[each]}`,
        ),
      ),
    )

  const countries = (country, setCountry) =>
    element(
      'p',
      null,
      element('label', { htmlFor: 'karba-country' }, data.words.country),
      element(
        'select',
        {
          id: 'karba-country',
          value: country,
          onChange: (event) => setCountry(event.target.value),
        },
        Object.entries(data.countries).map(([code, name]) =>
          element('option', { key: code, value: code }, decodeEntities(name)),
        ),
      ),
    )

  const numberField = (number, setNumber) =>
    element(
      'p',
      null,
      element('label', { htmlFor: 'karba-number' }, data.words.number),
      element('input', {
        id: 'karba-number',
        type: 'tel',
        inputMode: 'tel',
        autoComplete: 'tel',
        required: true,
        maxLength: 25,
        value: number,
        onChange: (event) => setNumber(event.target.value),
      }),
    )

  const Fields = ({ eventRegistration, emitResponse }) => {
    const [way, setWay] = useState(data.ways === 'page' ? 'page' : 'prompt')
    const [number, setNumber] = useState(data.number || '')
    const [country, setCountry] = useState(data.country || '')
    const { onPaymentSetup } = eventRegistration
    useEffect(
      () =>
        onPaymentSetup(() => {
          if (way === 'prompt' && number.trim() === '')
            return { type: emitResponse.responseTypes.ERROR, message: data.words.missing }
          const paymentMethodData = {
            karba_way: way,
            karba_number: number,
            karba_country: country,
          }
          return { type: emitResponse.responseTypes.SUCCESS, meta: { paymentMethodData } }
        }),
      [onPaymentSetup, emitResponse, way, number, country],
    )
    const isPrompt = way === 'prompt'
    return element(
      'div',
      { className: 'karba-blocks' },
      data.band ? element('p', { className: 'karba-band' }, data.band) : null,
      data.description ? element('p', null, decodeEntities(data.description)) : null,
      data.ways === 'both' ? ways(way, setWay) : null,
      isPrompt
        ? element(
            'div',
            { className: 'karba-number' },
            Object.keys(data.countries).length > 1 ? countries(country, setCountry) : null,
            numberField(number, setNumber),
            element('p', { className: 'karba-hint' }, data.words.hint),
          )
        : element('p', null, data.words.page_hint),
    )
  }

  registerPaymentMethod({
    name: 'karba',
    label: element('span', null, title),
    ariaLabel: title,
    content: element(Fields),
    edit: element(Fields),
    canMakePayment: () => true,
    supports: { features: data.supports || ['products'] },
  })
})()
