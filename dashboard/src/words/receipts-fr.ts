// Les textes des reçus vérifiables, de l’écran de caisse et du code PI-SPI.
export const receipts = {
  lead: 'Toute personne qui a ce lien ou ce code voit le marchand, le montant, la date et l’état, jamais le client.',
  pdf: 'PDF',
  counter: 'Écran de caisse',
  pi: {
    title: 'Code PI-SPI sur les affiches',
    lead: 'Vos affiches de production portent alors un deuxième code QR : le client paie depuis sa banque ou son portefeuille, directement sur votre compte. Karba ne voit pas ces paiements.',
    alias: 'Alias PI-SPI',
    help: 'Donné par votre banque ou votre portefeuille, par exemple 3497a720-ab11-4973-9619-534e04f263a1. Vide : pas de code.',
  },
}
