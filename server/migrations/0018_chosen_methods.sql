-- Null: the merchant has not chosen, and the links offer every method of the code, later ones too. The default had listed the methods of its time.
alter table accounts add column chosen_methods text;
update accounts set chosen_methods = link_methods where link_methods <> 'mobile,bank_card,wallet';
alter table accounts drop column link_methods;
alter table accounts rename column chosen_methods to link_methods;
