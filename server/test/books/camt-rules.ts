// The rules of the schema camt.053.001.08 for the elements that we write: order and number of
// elements, form and length of texts. An element without a type is in the schema, and none of our
// statements has it.
import type { Element } from '@xmldom/xmldom'

type Occurs = '1' | '?' | '*' | '+'
interface Part {
  name: string
  occurs: Occurs
  type: string | undefined
}
type Rule =
  | { is: 'sequence' | 'choice'; parts: readonly Part[] }
  | { is: 'text'; isValid: (text: string) => boolean; currency?: boolean }

/** `Name`, `Name?`, `Name*` or `Name+`, each with `:Type` where the type is below. */
const parts = (names: string): Part[] =>
  names
    .trim()
    .split(/\s+/)
    .map((part) => {
      const [, name = '', occurs = '1', type] = /^(\w+)([?*+])?(?::(\w+))?$/.exec(part) ?? []
      return { name, occurs: (occurs || '1') as Occurs, type }
    })
const sequence = (names: string): Rule => ({ is: 'sequence', parts: parts(names) })
const choice = (names: string): Rule => ({ is: 'choice', parts: parts(names) })
const matching = (form: RegExp): Rule => ({ is: 'text', isValid: (text) => form.test(text) })
const atMost = (longest: number): Rule => ({
  is: 'text',
  isValid: (text) => text !== '' && [...text].length <= longest,
})

const DATE = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`
const TIME = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?`

/** Up to 18 digits. The schema allows decimals; a franc has none. */
const FRANCS = /^\d{1,18}$/

const RULES: Readonly<Record<string, Rule>> = {
  Document: sequence('BkToCstmrStmt:BankToCustomerStatementV08'),
  BankToCustomerStatementV08: sequence('GrpHdr:GroupHeader81 Stmt+:AccountStatement9 SplmtryData*'),
  GroupHeader81: sequence(
    'MsgId:Max35Text CreDtTm:ISODateTime MsgRcpt? MsgPgntn? OrgnlBizQry? AddtlInf?',
  ),
  AccountStatement9:
    sequence(`Id:Max35Text StmtPgntn? ElctrncSeqNb? RptgSeq? LglSeqNb? CreDtTm?:ISODateTime
    FrToDt?:DateTimePeriod1 CpyDplctInd? RptgSrc? Acct:CashAccount39 RltdAcct? Intrst* Bal+:CashBalance8
    TxsSummry?:TotalTransactions6 Ntry*:ReportEntry10 AddtlStmtInf?`),
  DateTimePeriod1: sequence('FrDtTm:ISODateTime ToDtTm:ISODateTime'),
  CashAccount39: sequence(
    'Id:AccountIdentification4Choice Tp? Ccy?:CurrencyCode Nm?:Max70Text Prxy? Ownr?:PartyIdentification135 Svcr?:BranchAndFinancialInstitutionIdentification6',
  ),
  AccountIdentification4Choice: choice('IBAN Othr:GenericAccountIdentification1'),
  GenericAccountIdentification1: sequence(
    'Id:Max34Text SchmeNm?:AccountSchemeName1Choice Issr?:Max35Text',
  ),
  AccountSchemeName1Choice: choice('Cd Prtry:Max35Text'),
  BranchAndFinancialInstitutionIdentification6: sequence(
    'FinInstnId:FinancialInstitutionIdentification18 BrnchId?',
  ),
  FinancialInstitutionIdentification18: sequence(
    'BICFI? ClrSysMmbId? LEI? Nm?:Max140Text PstlAdr? Othr?:GenericFinancialIdentification1',
  ),
  GenericFinancialIdentification1: sequence('Id:Max35Text SchmeNm? Issr?:Max35Text'),
  PartyIdentification135: sequence('Nm?:Max140Text PstlAdr? Id? CtryOfRes? CtctDtls?'),
  CashBalance8: sequence(
    'Tp:BalanceType13 CdtLine* Amt:Amount CdtDbtInd:CreditDebitCode Dt:DateAndDateTime2Choice Avlbty*',
  ),
  BalanceType13: sequence('CdOrPrtry:BalanceType10Choice SubTp?'),
  BalanceType10Choice: choice('Cd:Max4Text Prtry'),
  DateAndDateTime2Choice: choice('Dt:ISODate DtTm:ISODateTime'),
  TotalTransactions6:
    sequence(`TtlNtries?:NumberAndSumOfTransactions4 TtlCdtNtries?:NumberAndSumOfTransactions1
    TtlDbtNtries?:NumberAndSumOfTransactions1 TtlNtriesPerBkTxCd*`),
  NumberAndSumOfTransactions4: sequence(
    'NbOfNtries?:Max15NumericText Sum?:Number TtlNetNtry?:AmountAndDirection35',
  ),
  NumberAndSumOfTransactions1: sequence('NbOfNtries?:Max15NumericText Sum?:Number'),
  AmountAndDirection35: sequence('Amt:Number CdtDbtInd:CreditDebitCode'),
  ReportEntry10:
    sequence(`NtryRef?:Max35Text Amt:Amount CdtDbtInd:CreditDebitCode RvslInd?:Indicator
    Sts:EntryStatus1Choice BookgDt?:DateAndDateTime2Choice ValDt?:DateAndDateTime2Choice AcctSvcrRef?:Max35Text Avlbty*
    BkTxCd:BankTransactionCodeStructure4 ComssnWvrInd? AddtlInfInd? AmtDtls? Chrgs? TechInptChanl? Intrst? CardTx?
    NtryDtls*:EntryDetails9 AddtlNtryInf?:Max500Text`),
  EntryStatus1Choice: choice('Cd:Max4Text Prtry'),
  BankTransactionCodeStructure4: sequence('Domn? Prtry?:ProprietaryBankTransactionCodeStructure1'),
  ProprietaryBankTransactionCodeStructure1: sequence('Cd:Max35Text Issr?:Max35Text'),
  EntryDetails9: sequence('Btch? TxDtls*:EntryTransaction10'),
  EntryTransaction10:
    sequence(`Refs?:TransactionReferences6 Amt?:Amount CdtDbtInd?:CreditDebitCode AmtDtls? Avlbty* BkTxCd?
    Chrgs? Intrst? RltdPties? RltdAgts? LclInstrm? Purp? RltdRmtInf* RmtInf?:RemittanceInformation16
    RltdDts?:TransactionDates3 RltdPric? RltdQties* FinInstrmId? Tax? RtrInf? CorpActn? SfkpgAcct? CshDpst* CardTx?
    AddtlTxInf? SplmtryData*`),
  TransactionReferences6:
    sequence(`MsgId? AcctSvcrRef?:Max35Text PmtInfId? InstrId? EndToEndId?:Max35Text UETR?
    TxId?:Max35Text MndtId? ChqNb? ClrSysRef? AcctOwnrTxId? AcctSvcrTxId? MktInfrstrctrTxId? PrcgId?
    Prtry*:ProprietaryReference1`),
  ProprietaryReference1: sequence('Tp:Max35Text Ref:Max35Text'),
  RemittanceInformation16: sequence('Ustrd*:Max140Text Strd*'),
  TransactionDates3: sequence(
    'AccptncDtTm? TradActvtyCtrctlSttlmDt? TradDt? IntrBkSttlmDt? StartDt? EndDt? TxDtTm?:ISODateTime Prtry*',
  ),
  Max4Text: atMost(4),
  Max34Text: atMost(34),
  Max35Text: atMost(35),
  Max70Text: atMost(70),
  Max140Text: atMost(140),
  Max500Text: atMost(500),
  Max15NumericText: matching(/^[0-9]{1,15}$/),
  Number: matching(FRANCS),
  Indicator: matching(/^(true|false|0|1)$/),
  CurrencyCode: matching(/^[A-Z]{3}$/),
  CreditDebitCode: matching(/^(CRDT|DBIT)$/),
  ISODate: matching(new RegExp(`^${DATE}$`)),
  ISODateTime: matching(new RegExp(`^${DATE}T${TIME}(Z|[+-]\\d\\d:\\d\\d)?$`)),
  Amount: { ...matching(FRANCS), currency: true } as Rule,
}

const childrenOf = (element: Element): Element[] =>
  [...element.childNodes].filter((node): node is Element => node.nodeType === node.ELEMENT_NODE)

/** Every place where the element and what it holds break a rule. */
export function camtFaults(
  element: Element,
  type = 'Document',
  path: string = element.tagName,
): string[] {
  const rule = RULES[type]
  if (rule === undefined) return [`${path} has the unknown type ${type}`]
  return [...attributeFaults(element, rule, path), ...contentFaults(element, rule, path)]
}

function attributeFaults(element: Element, rule: Rule, path: string): string[] {
  const found = [...element.attributes].map(({ name, value }) => `${name}=${value}`).join(' ')
  const isRoot = path === 'Document'
  const wanted = isRoot ? 'xmlns=urn:iso:std:iso:20022:tech:xsd:camt.053.001.08' : ''
  const expected = rule.is === 'text' && rule.currency ? 'Ccy=XOF' : wanted
  return found === expected ? [] : [`${path} has the attributes ${found}`]
}

function contentFaults(element: Element, rule: Rule, path: string): string[] {
  const children = childrenOf(element)
  const text = element.textContent ?? ''
  if (rule.is === 'text') {
    return children.length === 0 && rule.isValid(text) ? [] : [`${path} is ${JSON.stringify(text)}`]
  }
  const names = children.map(({ tagName }) => tagName)
  const faults =
    rule.is === 'choice'
      ? choiceFaults(names, rule.parts, path)
      : orderFaults(names, rule.parts, path)
  for (const child of children) {
    const below = `${path}/${child.tagName}`
    const part = rule.parts.find(({ name }) => name === child.tagName)
    if (part?.type === undefined) faults.push(`${below} is not in this copy of the rules`)
    else faults.push(...camtFaults(child, part.type, below))
  }
  return faults
}

const choiceFaults = (names: readonly string[], of: readonly Part[], path: string): string[] =>
  names.length === 1 && of.some(({ name }) => name === names[0])
    ? []
    : [`${path} holds ${names.join(' ')}`]

function orderFaults(names: readonly string[], of: readonly Part[], path: string): string[] {
  const FORMS: Readonly<Record<Occurs, string>> = { '1': '', '?': '?', '*': '*', '+': '+' }
  const order = new RegExp(
    `^${of.map(({ name, occurs }) => `(${name} )${FORMS[occurs]}`).join('')}$`,
  )
  return order.test(names.map((name) => `${name} `).join(''))
    ? []
    : [`${path} holds ${names.join(' ')}`]
}
